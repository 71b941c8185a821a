import type { AiSdkCallOptions } from 'palimpsest/ai-sdk'
import type { AgentModel } from '../models/agent-model.ts'
import type { AgentTool, ToolCall, ToolOutput } from '../tools/agent-tool.ts'
import type { AgentEventListener } from './agent-event.ts'
import type { ModelAnswer } from './model-answer.ts'

/** The slots of the stack, from the outermost to the one next to the model. Their order is fixed. */
export const SLOTS = ['filesystem', 'sub-agent', 'summarisation', 'prompt-cache', 'memory'] as const

/** What a slot is called. */
export type SlotName = (typeof SLOTS)[number]

/** One slot of the stack: what it adds to every request, and what it does around a model call or a tool's output. */
export interface AgentMiddleware {
  readonly name: SlotName
  /** Asked once per turn, slot by slot: what all of them add is in the request before anything is measured. */
  contribute?(turn: { readonly signal: AbortSignal }): Promise<Contribution> | Contribution
  /** Wraps a model call; the next slot sees what is passed on. */
  wrapModelCall?(call: ModelStep, next: CallModel): Promise<ModelAnswer>
  /** What the model reads of an output: a large one is stored, and pointed to, say. */
  wrapToolOutput?(output: ToolOutput, call: ToolCall & { readonly tool: string }): Promise<ToolOutput>
}

export interface Contribution {
  readonly system?: readonly SystemBlock[]
  readonly tools?: readonly AgentTool[]
}

/** A piece of the system prompt. */
export interface SystemBlock {
  readonly text: string
  /** May differ at the next turn: stands behind all that does not, and behind the prompt-cache breakpoint. */
  readonly volatile?: true
}

/** One model call, on its way through the slots. */
export interface ModelStep {
  readonly model: AgentModel
  /** The whole request; of the prompt the leading system messages are the blocks. */
  readonly options: AiSdkCallOptions
  /** How many of the leading system messages stay the same from turn to turn. */
  readonly stableSystem: number
  readonly signal: AbortSignal
  /** Names the conversation. */
  readonly session: string
  readonly emit: AgentEventListener
}

export type CallModel = (call: ModelStep) => Promise<ModelAnswer>
