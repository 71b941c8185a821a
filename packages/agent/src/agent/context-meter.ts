import type { Session } from '@palimpsest/sessions'
import {
  type AiSdkMessage,
  aiSdk,
  compactionLimits,
  dialectMeter,
  type Preset,
  requestOverhead,
  Transcript,
} from 'palimpsest'
import { type ModelCall, modelCalls } from 'palimpsest/ai-sdk'
import type { RequestFrame } from '../loop/turn-request.ts'
import type { ContextMeter } from './agent.ts'

export interface MeterSetup {
  readonly session: Session
  readonly frame: RequestFrame
  /** The request as it stands, with the whole transcript. */
  readonly call: ModelCall
  readonly preset: Preset
  readonly limits: Parameters<typeof compactionLimits>[2]
  readonly used: ContextMeter['used']
}

/** How full the window is, and with what: estimates of what would be sent now, by source. */
export async function contextMeter({ session, frame, call, preset, limits, used }: MeterSetup): Promise<ContextMeter> {
  const meter = dialectMeter(aiSdk, call.modelId, 'mean')
  const { window, trigger, context } = compactionLimits(preset, modelCalls.open(call), {
    ...limits,
    model: call.modelId,
  })
  const view = (await session.view(context)) as readonly AiSdkMessage[]
  const isSummary = (item: AiSdkMessage) => aiSdk.view(item).checkpoint === true
  const { human, model, tool } = ledgerOf(view.filter((item) => !isSummary(item)))
  const { system: all, tools } = requestOverhead(frame, meter)
  const { system } = requestOverhead({ system: frame.system.slice(0, frame.stableSystem) }, meter)
  return {
    ...(window !== undefined && { window }),
    trigger,
    used,
    sources: { system, memory: all - system, tools, human, model, tool, summary: total(view.filter(isSummary)) },
    messages: { inView: view.length, all: session.snapshot.length },
  }

  function ledgerOf(items: readonly AiSdkMessage[]) {
    return new Transcript(aiSdk, meter, items).ledger.bySource()
  }

  function total(items: readonly AiSdkMessage[]): number {
    return Object.values(ledgerOf(items)).reduce((sum, tokens) => sum + tokens, 0)
  }
}
