import type { Reply, ReplyPart } from '../format.ts'
import type { LabCall } from '../lab-call.ts'

/**
 * What the simulated model answers: a function of the call, or replies in order. A list that is used up answers no
 * further call; the simulator says so with an error.
 */
export type Script = ((call: LabCall) => Reply | Promise<Reply>) | readonly Reply[]

/**
 * One text, always.
 *
 * @example
 * const lab = await startWirelab({ script: answer('Done.') })
 */
export function answer(text: string): Script {
  return () => ({ parts: [{ kind: 'text', text }] })
}

/** The loop that the simulated model goes through. */
export interface ToolLoopOptions {
  /** How many calls the model makes before it answers. */
  readonly steps: number
  readonly tool: string
  /** The arguments of a step's call. Default: the number of the step, and `resultTokens` as `tokens`. */
  readonly input?: (step: number) => object
  /** Size of the result that the tool is asked for, in tokens. */
  readonly resultTokens?: number
  /** How many calls a step makes at once. Default 1. */
  readonly parallel?: number
  /** Thinking before each step. Default: none. */
  readonly reasoning?: (step: number) => string | undefined
  /** Words before each call. Default: none. */
  readonly text?: (step: number) => string | undefined
  /** What the model says when it is done. */
  readonly final: string
}

/**
 * A model that calls one tool a number of times and then answers; the next user message starts the loop anew.
 *
 * @example
 * const lab = await startWirelab({ script: toolLoop({ steps: 3, tool: 'read', final: 'Done.' }) })
 */
export function toolLoop(options: ToolLoopOptions): Script {
  return (call) => {
    const step = call.answered % (options.steps + 1)
    const lead = leadOf(step, options)
    if (step === options.steps) return { parts: [...lead, { kind: 'text', text: options.final }] }
    const parallel = Array.from({ length: options.parallel ?? 1 }, (_, at) => ({
      kind: 'tool-call' as const,
      id: `toolu_lab_${call.answered}_${at}`,
      name: options.tool,
      input: inputOf(step, options),
    }))
    return { parts: [...lead, ...parallel] }
  }
}

function leadOf(step: number, { reasoning, text }: ToolLoopOptions): readonly ReplyPart[] {
  const [thought, words] = [reasoning?.(step), text?.(step)]
  return [
    ...(thought === undefined ? [] : [{ kind: 'reasoning' as const, text: thought }]),
    ...(words === undefined ? [] : [{ kind: 'text' as const, text: words }]),
  ]
}

function inputOf(step: number, { input, resultTokens }: ToolLoopOptions): object {
  return input?.(step) ?? { step, ...(resultTokens !== undefined && { tokens: resultTokens }) }
}

/** The script's reply to this call; undefined where a list is used up. */
export async function replyOf(script: Script, call: LabCall): Promise<Reply | undefined> {
  return typeof script === 'function' ? script(call) : script[call.answered]
}
