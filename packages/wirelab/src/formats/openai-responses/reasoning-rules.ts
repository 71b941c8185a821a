import { type Fields, field, textField } from '../../json-fields.ts'
import { openSeal } from '../../seal.ts'
import type { Breach } from './breach.ts'
import { isModelItem, itemType } from './call-families.ts'
import { inputItems } from './input.ts'
import { issueId, readId } from './item-ids.ts'

/** What ties reasoning to the items around it, and what a request that is not stored must carry itself. */
export function reasoningRule(body: Fields): Breach | undefined {
  const items = inputItems(body)
  return (
    (body.store === false ? notPersisted(items) : undefined) ??
    brokenContent(items) ??
    reasoningWithoutItem(items) ??
    itemWithoutReasoning(items)
  )
}

/** Nothing of an answer that was not stored can be named by its id alone. */
function notPersisted(items: readonly unknown[]): Breach | undefined {
  const bare = items.find((item) => {
    const type = itemType(item)
    return type === 'item_reference' || (type === 'reasoning' && (textField(item, 'encrypted_content') ?? '') === '')
  })
  if (bare === undefined) return undefined
  const id = textField(bare, 'id') ?? ''
  return {
    rule: 'not-persisted',
    message:
      `Item with id '${id}' not found. Items are not persisted when \`store\` is set to false. ` +
      'Try again with `store` set to true, or remove this item from your input.',
  }
}

function brokenContent(items: readonly unknown[]): Breach | undefined {
  for (const item of items) {
    const reason = itemType(item) === 'reasoning' ? brokenBecause(item) : undefined
    if (reason !== undefined) {
      const name = textField(item, 'id') ?? `${textField(item, 'encrypted_content')?.slice(0, 4)}...`
      const message = `The encrypted content for item ${name} could not be verified. Reason: ${reason}`
      return { rule: 'encrypted-content', message }
    }
  }
  return undefined
}

function brokenBecause(item: unknown): string | undefined {
  const sealed = openSeal(textField(item, 'encrypted_content') ?? '')
  if (sealed === 'foreign') return undefined
  if (sealed === 'broken') return 'Encrypted content could not be decrypted or parsed.'
  const id = readId(textField(item, 'id'))
  if (id === undefined || (id.answer === sealed.answer && id.place === sealed.place)) return undefined
  return 'Encrypted content item_id did not match the target item id.'
}

/** Reasoning is followed by what the model did next, in the same answer. */
function reasoningWithoutItem(items: readonly unknown[]): Breach | undefined {
  for (const [index, item] of items.entries()) {
    if (itemType(item) !== 'reasoning' || isFollowed(item, items[index + 1])) continue
    const id = textField(item, 'id') ?? `input[${index}]`
    const message = `Item '${id}' of type 'reasoning' was provided without its required following item.`
    return { rule: 'reasoning-without-item', message }
  }
  return undefined
}

function isFollowed(reasoning: unknown, next: unknown): boolean {
  if (next === undefined || !isModelItem(next)) return false
  const [own, other] = [answerOf(reasoning), answerOf(next)]
  return own === undefined || other === undefined || own === other
}

/** The answer that an item of this simulator came in. */
function answerOf(item: unknown): string | undefined {
  return readId(textField(item, 'id'))?.answer
}

/** An item that names itself by its id needs the reasoning it came with, before it. */
function itemWithoutReasoning(items: readonly unknown[]): Breach | undefined {
  const present = new Set<string>()
  for (const item of items) {
    if (itemType(item) === 'reasoning') present.add(reasoningKey(item))
    const id = textField(item, 'id')
    const issued = readId(id)
    if (issued?.reasoning === undefined) continue
    if (present.has(`${issued.answer} ${issued.reasoning}`)) continue
    const needed = issueId('reasoning', { answer: issued.answer, place: issued.reasoning, reasoning: undefined })
    return {
      rule: 'item-without-reasoning',
      message: `Item '${id}' of type '${itemType(item)}' was provided without its required 'reasoning' item: '${needed}'.`,
    }
  }
  return undefined
}

/** Which reasoning this is: by its id, or, where the client dropped that, by what its encrypted content says. */
function reasoningKey(item: unknown): string {
  const id = readId(textField(item, 'id'))
  if (id !== undefined) return `${id.answer} ${id.place}`
  const sealed = openSeal(String(field(item, 'encrypted_content') ?? ''))
  return typeof sealed === 'string' ? '' : `${sealed.answer} ${sealed.place}`
}
