import { canonicalJson } from '../../canonical-json.ts'
import type { LabRules } from '../../format.ts'
import { hashText } from '../../hash-text.ts'
import { asFields, textField } from '../../json-fields.ts'
import { openSeal, seal } from '../../seal.ts'
import type { Breach } from './breach.ts'
import { currentTurnStart, eitherField, type ReadContent } from './contents.ts'

/** What a signature is tied to. A text is streamed in pieces, so that only its kind can be told later, not its words. */
export function signPart(part: unknown, answer: string): string {
  return seal({ answer, part: partMark(part) })
}

function partMark(part: unknown): string {
  const call = asFields(eitherField(part, 'functionCall', 'function_call'))
  return call === undefined ? 'text' : hashText(canonicalJson({ name: call.name, args: call.args ?? {} }))
}

/** Do the models of this name demand signatures on the calls of the current turn? From Gemini 3 on they do. */
export function demandsSignatures(model: string): boolean {
  const [, major] = /gemini-(\d+)/.exec(model) ?? []
  return major !== undefined && Number(major) >= 3
}

/** Every step of the current turn signs its first call, and no signature stands on a part that it was not made for. */
export function signatureRule(
  contents: readonly ReadContent[],
  { rules, model }: { readonly rules: LabRules; readonly model: string },
): Breach | undefined {
  if (rules.thinkingBinding === 'none') return undefined
  return corruptedSignature(contents) ?? (demandsSignatures(model) ? missingSignature(contents) : undefined)
}

function corruptedSignature(contents: readonly ReadContent[]): Breach | undefined {
  const corrupted = contents.some(({ parts }) => parts.some((part) => !fits(part)))
  return corrupted ? { rule: 'corrupted-signature', message: 'Corrupted thought signature.' } : undefined
}

function fits(part: unknown): boolean {
  const opened = openSeal(signatureOf(part) ?? '')
  if (opened === 'foreign') return true
  return opened !== 'broken' && opened.part === partMark(part)
}

function signatureOf(part: unknown): string | undefined {
  const signature = eitherField(part, 'thoughtSignature', 'thought_signature')
  return typeof signature === 'string' && signature !== '' ? signature : undefined
}

function missingSignature(contents: readonly ReadContent[]): Breach | undefined {
  for (const content of contents.slice(Math.max(0, currentTurnStart(contents)))) {
    const call = content.parts.find((part) => eitherField(part, 'functionCall', 'function_call') !== undefined)
    if (call === undefined || signatureOf(call) !== undefined) continue
    const name = textField(eitherField(call, 'functionCall', 'function_call'), 'name')
    return {
      rule: 'missing-signature',
      message:
        'Function call is missing a thought_signature in functionCall parts. This is required for tools to work ' +
        'correctly, and missing thought_signature may lead to degraded model performance. Additional data, function ' +
        `call \`default_api:${name}\` , position ${content.index + 1}. Please refer to ` +
        'https://ai.google.dev/gemini-api/docs/thought-signatures for more details.',
    }
  }
  return undefined
}
