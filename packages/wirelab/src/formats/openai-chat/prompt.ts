import type { PromptBlock } from '../../format.ts'
import { asFields, type Fields, field, listField, textField } from '../../json-fields.ts'
import { picturePixels } from '../../media-facts.ts'

/** What the model reads of a request, in its order: tools, then messages with the calls in them. */
export function readPrompt(body: unknown): readonly PromptBlock[] {
  return [
    ...listField(body, 'tools').map((tool) => ({ text: JSON.stringify(tool) })),
    ...listField(body, 'messages').flatMap((message) => readMessage(asFields(message) ?? {})),
  ]
}

function readMessage(message: Fields): readonly PromptBlock[] {
  const calls = listField(message, 'tool_calls').map((call) => {
    const definition = field(call, 'function') ?? field(call, 'custom')
    return `${field(definition, 'name')} ${field(definition, 'arguments') ?? field(definition, 'input')}`
  })
  const parts = typeof message.content === 'string' ? [message.content] : listField(message, 'content')
  const texts = parts.map((part) => (typeof part === 'string' ? part : textField(part, 'text'))).filter(isText)
  const thought = textField(message, 'reasoning_content')
  const said = [...(thought === undefined ? [] : [thought]), ...texts, ...calls].join('\n')
  const media = parts.filter((part) => typeof part !== 'string' && textField(part, 'text') === undefined)
  return [{ text: `\n${message.role}\n${said}\n` }, ...media.map(readMedia)]
}

function isText(text: string | undefined): text is string {
  return text !== undefined
}

/** A page of a file, as text and as a picture; files are taken for ten pages. */
const FILE_TOKENS = 20_000
/** A sound; 10 tokens a second, about a minute. */
const SOUND_TOKENS = 600

function readMedia(part: unknown): PromptBlock {
  const text = JSON.stringify(part)
  const picture = field(part, 'image_url')
  if (picture !== undefined)
    return { text, tokens: tileTokens(textField(picture, 'url') ?? '', field(picture, 'detail')) }
  return { text, tokens: textField(part, 'type') === 'input_audio' ? SOUND_TOKENS : FILE_TOKENS }
}

const BASE_TOKENS = 85
const TILE_TOKENS = 170
const TILE = 512
/** Tiles of a picture whose size cannot be read: those of a full-HD screen. */
const UNKNOWN_TILES = 6

/** Tokens of a picture: a base price and one for each tile, after it was fitted to 2,048 and its short side to 768 pixels. */
function tileTokens(url: string, detail: unknown): number {
  if (detail === 'low') return BASE_TOKENS
  const size = picturePixels(url)
  if (size === undefined) return BASE_TOKENS + UNKNOWN_TILES * TILE_TOKENS
  const fit = Math.min(1, 2048 / Math.max(size.width, size.height))
  const scale = fit * Math.min(1, 768 / (Math.min(size.width, size.height) * fit))
  const tiles = [size.width, size.height].map((side) => Math.ceil(Math.round(side * scale) / TILE))
  return BASE_TOKENS + TILE_TOKENS * tiles.reduce((product, side) => product * Math.max(1, side), 1)
}
