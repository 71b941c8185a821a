import { PalimpsestError } from '../errors.ts'
import { FIELDS, type Plan, type RuntimePlan } from './plan.ts'

/**
 * The JSON text of a plan: fields in fixed order, empty ones omitted, nothing else.
 *
 * @example
 * encodePlan({ drop: [{ from: 0, to: 41 }], removals: [] }) // '{"drop":[{"from":0,"to":41}]}'
 */
export function encodePlan(plan: Plan | RuntimePlan): string {
  const strategy = 'strategy' in plan ? { strategy: plan.strategy } : {}
  const filled = FIELDS.filter((field) => (plan[field]?.length ?? 0) > 0)
  return JSON.stringify({ ...strategy, ...Object.fromEntries(filled.map((field) => [field, plan[field]])) })
}

/**
 * The plan in this JSON text, or in this parsed value, as it stands there.
 * @throws PalimpsestError `invalid-input` that names the JSON pointer of what is wrong.
 *
 * @example
 * decodePlan('{"drop": [{"from": 0, "to": 41}]}').drop // [{ from: 0, to: 41 }]
 */
export function decodePlan(json: string | object): RuntimePlan | Plan {
  const value: unknown = typeof json === 'string' ? parse(json) : json
  const plan = expectRecord(value, '')
  for (const key of Object.keys(plan)) {
    if (key !== 'strategy' && !FIELDS.some((field) => field === key)) {
      fail(`/${key}`, `is no field of a plan; known are strategy, ${FIELDS.join(', ')}`)
    }
  }
  if (plan.strategy !== undefined && typeof plan.strategy !== 'string') fail('/strategy', 'must be a string')
  for (const field of FIELDS) {
    const entries = plan[field]
    if (entries === undefined) continue
    if (!Array.isArray(entries)) fail(`/${field}`, 'must be a list')
    for (const [at, entry] of entries.entries()) checkEntry(SHAPES[field], entry, `/${field}/${at}`)
  }
  return plan as unknown as Plan
}

type Check = 'position' | 'site' | 'text' | 'count' | 'kind'
type Shape = Readonly<Record<string, { readonly check: Check; readonly optional?: true }>>

const POSITION = { check: 'position' } as const
const SHAPES: Record<(typeof FIELDS)[number], Shape> = {
  drop: { from: POSITION, to: POSITION },
  summaries: { insert_after: { check: 'site' }, content: { check: 'text' } },
  offloads: {
    message_index: POSITION,
    part: { check: 'position', optional: true },
    artifact_key: { check: 'text', optional: true },
    threshold: { check: 'count', optional: true },
  },
  truncations: {
    message_index: POSITION,
    part: POSITION,
    kept_head: { check: 'count' },
    kept_tail: { check: 'count' },
    of: { check: 'count' },
  },
  removals: { message_index: POSITION, part: POSITION },
  placeholders: {
    message_index: POSITION,
    part: POSITION,
    kind: { check: 'kind' },
    artifact_key: { check: 'text', optional: true },
  },
}

function checkEntry(shape: Shape, entry: unknown, pointer: string): void {
  const record = expectRecord(entry, pointer)
  for (const key of Object.keys(record)) {
    if (!(key in shape)) fail(`${pointer}/${key}`, `is not known here; known are ${Object.keys(shape).join(', ')}`)
  }
  for (const [key, { check, optional }] of Object.entries(shape)) {
    const value = record[key]
    if (value === undefined && optional) continue
    const demand = DEMANDS[check]
    if (!demand.holds(value)) fail(`${pointer}/${key}`, `must be ${demand.text}`)
  }
  if ('from' in shape && (record.to as number) < (record.from as number)) fail(`${pointer}/to`, 'lies before from')
}

const DEMANDS: Record<Check, { holds(value: unknown): boolean; text: string }> = {
  position: { holds: (value) => isInteger(value, 0), text: 'a whole number from 0' },
  site: { holds: (value) => isInteger(value, -1), text: 'a whole number from -1' },
  count: { holds: (value) => isInteger(value, 0), text: 'a whole number from 0' },
  text: { holds: (value) => typeof value === 'string', text: 'a string' },
  kind: {
    holds: (value) => value === 'image' || value === 'document' || value === 'reasoning',
    text: 'image, document or reasoning',
  },
}

function isInteger(value: unknown, least: number): boolean {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= least
}

function expectRecord(value: unknown, pointer: string): Record<string, unknown> {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) fail(pointer, 'must be an object')
  return value as Record<string, unknown>
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch (cause) {
    throw new PalimpsestError('invalid-input', `The plan is not JSON: ${(cause as Error).message}`, {
      hint: 'A plan is a JSON object such as {"drop":[{"from":0,"to":4}]}, as compact --plan-out writes it.',
      cause,
    })
  }
}

function fail(pointer: string, what: string): never {
  throw new PalimpsestError('invalid-input', `Not a plan: ${pointer === '' ? 'the value' : pointer} ${what}.`, {
    hint: 'See docs/architecture.md, "Plans", for the shape.',
  })
}
