import type { AgentTool, ToolCall, ToolOutput } from '../tools/agent-tool.ts'
import { type AgentMiddleware, type CallModel, type Contribution, SLOTS, type SystemBlock } from './middleware.ts'

/** What all slots add to the requests of a turn. */
export interface Contributed {
  /** The blocks that stay the same, then those that may differ at the next turn. */
  readonly system: readonly SystemBlock[]
  readonly tools: readonly AgentTool[]
}

/** The slots of an agent, in the fixed order, whatever order they were given in. */
export class MiddlewareStack {
  readonly slots: readonly AgentMiddleware[]

  /** @throws RangeError for two of one slot, which would both do its work. */
  constructor(middleware: readonly AgentMiddleware[]) {
    this.slots = SLOTS.flatMap((name) => {
      const [slot, ...others] = middleware.filter((one) => one.name === name)
      if (others.length > 0) throw new RangeError(`The slot ${name} is filled ${others.length + 1} times.`)
      return slot ?? []
    })
  }

  /** All that the slots add, before anything is measured. */
  async contributions(signal: AbortSignal): Promise<Contributed> {
    const all: readonly Contribution[] = await Promise.all(
      this.slots.map(async (slot) => (await slot.contribute?.({ signal })) ?? {}),
    )
    const blocks = all.flatMap(({ system = [] }) => system)
    return {
      system: [...blocks.filter(({ volatile }) => !volatile), ...blocks.filter(({ volatile }) => volatile)],
      tools: all.flatMap(({ tools = [] }) => tools),
    }
  }

  /** The model call with all slots around it, the first one outermost. */
  around(model: CallModel): CallModel {
    return this.slots.reduceRight<CallModel>(
      (next, slot) => (step) => slot.wrapModelCall?.(step, next) ?? next(step),
      model,
    )
  }

  /** What the model reads of a tool's output: what the slot next to the tool makes of it goes to the one outside of it. */
  async output(output: ToolOutput, call: ToolCall & { readonly tool: string }): Promise<ToolOutput> {
    let shown = output
    for (const slot of this.slots.toReversed()) shown = (await slot.wrapToolOutput?.(shown, call)) ?? shown
    return shown
  }
}
