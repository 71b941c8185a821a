import type { Fault, FaultPlace, Reply, Script } from '@palimpsest/wirelab'
import { InvalidArgumentError } from 'commander'
import { parseJson } from 'palimpsest'
import { readSession } from './conversation-input.ts'
import { usageError } from './error-report.ts'
import { readNamedFile } from './written-file.ts'

/**
 * The answers that a file holds: a JSON list of replies (`[{ "parts": [{ "kind": "text", "text": "Done." }] }]`), else a
 * request or session whose answers are given again.
 */
export async function answersIn(file: string): Promise<Script> {
  const replies = file.endsWith('.json') ? repliesIn(await readNamedFile(file)) : undefined
  if (replies !== undefined) return replies
  const session = await readSession(file, undefined, 'auto')
  const { playSession } = await import('@palimpsest/wirelab')
  const played = playSession(session.items.map(({ item }) => item))
  if (played.length === 0)
    throw usageError(`${file} holds no answers of a model.`, 'Name a session, or a list of replies.')
  return played
}

function repliesIn(text: string): readonly Reply[] | undefined {
  const { value } = parseJson(text)
  return Array.isArray(value) && value.length > 0 && value.every(isReply) ? value : undefined
}

function isReply(value: unknown): value is Reply {
  const parts = (value as { readonly parts?: unknown } | null)?.parts
  return Array.isArray(parts) && parts.every((part) => KINDS.includes((part as { kind?: unknown } | null)?.kind))
}

const KINDS: readonly unknown[] = ['text', 'reasoning', 'tool-call']

const faultHint =
  'It wants a kind, with :place and ,times=N ,after=N ,only=main|summary behind it: overflow:mid-stream,after=3. ' +
  'Kinds: overflow, rate-limit, 413, 413-html, 529, reasoning-bound, stall, disconnect. ' +
  'Places: before-first-byte, before-content, mid-stream.'

/** A failure to inject, and those before it: `overflow:mid-stream,times=2,after=3,only=main`. */
export function faultList(text: string, before: readonly Fault[]): readonly Fault[] {
  const [, kind = '', place, rest = ''] = /^([\w-]+)(?::([\w-]+))?((?:,\w+=\w+)*)$/.exec(text) ?? []
  const fault = faultOf(kind, place)
  if (fault === undefined) throw new InvalidArgumentError(faultHint)
  const options = rest.split(',').filter((pair) => pair !== '')
  return [...before, { ...fault, ...Object.assign({}, ...options.map(faultOption)) }]
}

function faultOf(kind: string, place: string | undefined): Fault | undefined {
  const when = PLACES.find((known) => known === place)
  if (place !== undefined && (when === undefined || !PLACED.includes(kind))) return undefined
  switch (kind) {
    case 'overflow':
      return { kind, when: when ?? 'before-first-byte' }
    case '529':
    case 'stall':
      return { kind, ...(when !== undefined && { when }) }
    case 'rate-limit':
      return { kind, body: true }
    case '413':
    case '413-html':
    case 'reasoning-bound':
    case 'disconnect':
      return { kind }
    default:
      return undefined
  }
}

const PLACES: readonly FaultPlace[] = ['before-first-byte', 'before-content', 'mid-stream']
const PLACED: readonly string[] = ['overflow', '529', 'stall']

function faultOption(pair: string): Pick<Fault, 'times' | 'after' | 'only'> {
  const [name, value = ''] = pair.split('=')
  if ((name === 'times' || name === 'after') && /^\d+$/.test(value)) return { [name]: Number(value) }
  if (name === 'only' && (value === 'main' || value === 'summary')) return { only: value }
  throw new InvalidArgumentError(faultHint)
}

/** Arguments of a tool call: a JSON object. */
export function jsonObject(text: string): object {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  } catch {
    // said below
  }
  throw new InvalidArgumentError('It wants a JSON object: \'{"path": "a.ts"}\'.')
}
