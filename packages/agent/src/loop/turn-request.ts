import type { AiSdkMessage } from 'palimpsest'
import type { AiSdkCallOptions } from 'palimpsest/ai-sdk'
import type { AgentModel } from '../models/agent-model.ts'
import { toolDefinition } from '../tools/tool-definition.ts'
import type { Contributed } from './stack.ts'

/** All of a request but its messages: the same for every step of a turn. */
export interface RequestFrame {
  readonly system: readonly AiSdkMessage[]
  /** How many of the system messages stay the same from turn to turn. */
  readonly stableSystem: number
  readonly tools: readonly object[]
}

/** What stands before the messages of a turn: the agent's own prompt, what the slots add, and the tools. */
export function requestFrame(system: string, { system: blocks, tools }: Contributed): RequestFrame {
  return {
    system: [system, ...blocks.map(({ text }) => text)].map((content) => ({ role: 'system', content })),
    stableSystem: 1 + blocks.filter(({ volatile }) => !volatile).length,
    tools: tools.map(toolDefinition),
  }
}

/** The request of one step, with the whole transcript: the one builder for steps, compactions by hand and measurements. */
export function turnRequest(
  { system, tools }: RequestFrame,
  items: readonly AiSdkMessage[],
  { settings }: Pick<AgentModel, 'settings'>,
): AiSdkCallOptions {
  return {
    prompt: [...system, ...items],
    ...(tools.length > 0 && { tools, toolChoice: { type: 'auto' } }),
    ...settings,
  } as AiSdkCallOptions
}
