export type * from './agent/agent.ts'
export type { AgentEquipment, AgentSetup } from './agent/agent-setup.ts'
export { startAgent } from './agent/start-agent.ts'
export { type AgentConfig, type ConfigSource, defineConfig, type ResolvedConfig } from './config/agent-config.ts'
export { CONFIG_KEYS, flagOf, isMergedKey } from './config/config-keys.ts'
export { shown } from './config/config-values.ts'
export { nearestNames } from './config/nearest-names.ts'
export { presetOf } from './config/policy-of.ts'
export { type ResolveOptions, resolveConfig } from './config/resolve-config.ts'
export { withoutSecrets } from './config/without-secrets.ts'
export type * from './loop/agent-event.ts'
export * from './loop/middleware.ts'
export type * from './loop/model-answer.ts'
export { MiddlewareStack } from './loop/stack.ts'
export { StepLimitError } from './loop/step-limit-error.ts'
export type * from './loop/turn-result.ts'
export { memorySlot } from './middleware/memory.ts'
export { promptCacheSlot } from './middleware/prompt-cache.ts'
export type * from './models/agent-model.ts'
export { modelList } from './models/model-list.ts'
export { modelOpener, type OpenerOptions } from './models/open-model.ts'
export { ProviderFailure, providerFailure } from './models/provider-failure.ts'
export { type AgentTelemetry, agentTelemetry } from './telemetry/agent-telemetry.ts'
export * from './tools/agent-tool.ts'
export { historyTools } from './tools/history-tools.ts'
export { parseAllow } from './tools/permission/allow-rule.ts'
export {
  type AskPermission,
  type PermissionAnswer,
  type PermissionRequest,
  Permissions,
  sessionCovers,
} from './tools/permissions.ts'
export { todoTool } from './tools/todo-tool.ts'
