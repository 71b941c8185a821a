import { SCENE_NAMES, type SceneStep, sceneFor } from './demo-scenes.ts'

/**
 * The place that a request of the Anthropic format has come to: its newest results name the step that asked for them, and words
 * of the user begin a scene, or go on with the one that was broken off.
 */
export function demoPlace(body: unknown): SceneStep {
  const messages = blocksByMessage(body)
  const results = (messages.at(-1) ?? []).filter(({ type }) => type === 'tool_result')
  const asked = results.flatMap(({ tool_use_id }) => placeOfId(tool_use_id) ?? []).at(-1)
  if (asked !== undefined) return { ...after(asked), results: results.map(textOf).join('\n') }
  const words = (messages.at(-1) ?? []).map(textOf).at(-1) ?? ''
  const broken = messages
    .flat()
    .flatMap(({ id }) => placeOfId(id) ?? [])
    .at(-1)
  if (broken !== undefined && /^\s*(go on|continue)\b/i.test(words)) return { ...broken, results: '' }
  return { scene: sceneFor(words), step: 0, results: '' }
}

type Place = Pick<SceneStep, 'scene' | 'step'>

/** The id of the n-th call of a step. `mark`: what makes it the only one of its kind. */
export function demoCallId({ scene, step }: Place, mark: string, n: number): string {
  return `demo_${scene}_${step}_${mark}_${n}`
}

function placeOfId(id: unknown): Place | undefined {
  const [, name = '', step] = /^demo_([a-z]+)_(\d+)_/.exec(String(id)) ?? []
  const scene = SCENE_NAMES.find((known) => known === name)
  return scene === undefined ? undefined : { scene, step: Number(step) }
}

function after({ scene, step }: Place): Place {
  return { scene, step: step + 1 }
}

type Block = Readonly<Record<string, unknown>>

function blocksByMessage(body: unknown): readonly (readonly Block[])[] {
  const { messages } = body as { readonly messages?: readonly { readonly content?: unknown }[] }
  return (messages ?? []).map(({ content }) => blocksOf(content))
}

function blocksOf(content: unknown): readonly Block[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return Array.isArray(content) ? (content as readonly Block[]) : []
}

function textOf({ text, content }: Block): string {
  return typeof text === 'string'
    ? text
    : blocksOf(content ?? [])
        .map(textOf)
        .join('\n')
}
