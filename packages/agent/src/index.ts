export type * from './agent/agent.ts'
export type { AgentEquipment, AgentSetup, WantedSession } from './agent/agent-setup.ts'
export { startAgent } from './agent/start-agent.ts'
export {
  type AgentConfig,
  type ConfigSource,
  defineConfig,
  type MergedKey,
  type ResolvedConfig,
} from './config/agent-config.ts'
export { CONFIG_KEYS, isMergedKey } from './config/config-keys.ts'
export { shown } from './config/config-values.ts'
export { nearestNames } from './config/nearest-names.ts'
export { type ResolveOptions, resolveConfig } from './config/resolve-config.ts'
export { withoutSecrets } from './config/without-secrets.ts'
export type * from './loop/agent-event.ts'
export type { SlotName } from './loop/middleware.ts'
export { StepLimitError } from './loop/step-limit-error.ts'
export type * from './loop/turn-result.ts'
export type * from './models/agent-model.ts'
export { modelList } from './models/model-list.ts'
export { modelOpener, type OpenerOptions } from './models/open-model.ts'
export { ProviderFailure } from './models/provider-failure.ts'
export { type AgentTelemetry, agentTelemetry } from './telemetry/agent-telemetry.ts'
export {
  type AskPermission,
  type PermissionAnswer,
  type PermissionRequest,
  sessionCovers,
} from './tools/permissions.ts'
