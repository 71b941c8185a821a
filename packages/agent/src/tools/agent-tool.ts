import type { ZodType } from 'zod'
import type { PermissionRequest } from './permissions.ts'

/** Something that a model can do. Without its argument: one whose input only its own schema knows. */
export interface AgentTool<Input = never> {
  readonly name: string
  /** What the model reads of it. */
  readonly description: string
  /** Its arguments, of which `Input` is what this gives: checked before anything runs. */
  readonly input: ZodType
  /**
   * What the user must allow before it runs; undefined: nothing. May look at the world, to show what would change.
   * @throws ToolFailure where the call cannot work: then nobody is asked.
   */
  permission?(input: Input, call: ToolCall): Promise<PermissionRequest | undefined> | PermissionRequest | undefined
  /**
   * What the model reads of it. A ToolFailure that is thrown is what it reads too, as a failure; every other error is a fault
   * of ours. Rejects with the signal's reason when that is aborted.
   */
  run(input: Input, call: ToolCall): Promise<ToolOutput>
}

/** One call of a tool. */
export interface ToolCall {
  readonly id: string
  readonly signal: AbortSignal
}

export interface ToolOutput {
  /** What the model reads. */
  readonly text: string
  /** It ran, and what it ran failed: a command with another exit code than 0. */
  readonly failed?: boolean
  readonly exitCode?: number
  /** The whole text, where `text` had to be cut: it is stored, and the model told where. */
  readonly full?: string
  /** What a screen shows of it in one line: `42 lines`, `exit 1`. */
  readonly brief?: string
}

/** A call that could not do what was asked: what, why, and what would work, for the model to read. */
export class ToolFailure extends Error {
  override readonly name = 'ToolFailure'
}
