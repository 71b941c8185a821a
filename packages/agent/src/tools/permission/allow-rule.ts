import { PalimpsestError } from 'palimpsest'
import { plainCommand } from './plain-command.ts'

/** What a person allows before anything is asked. */
export type AllowRule =
  | { readonly kind: 'all' | 'write' | 'command' }
  /** Commands that are these words, or begin with them; with `*` in it, a pattern of the whole command. */
  | { readonly kind: 'commands'; readonly pattern: string }

/** Reads `all`, `write`, `command` or `command:npm test`. @throws PalimpsestError `invalid-input` that says what works. */
export function parseAllow(rule: string): AllowRule {
  const text = rule.trim()
  if (text === 'all' || text === 'write' || text === 'command') return { kind: text }
  const pattern = text.startsWith('command:') ? text.slice('command:'.length).trim() : ''
  if (pattern !== '') return { kind: 'commands', pattern }
  throw new PalimpsestError('invalid-input', `${JSON.stringify(rule.slice(0, 200))} is no rule of what is allowed.`, {
    hint: 'Rules are `write`, `command`, `command:` with the first words of a command (`command:npm test`) or a pattern with `*`, and `all`.',
  })
}

/** Does a rule of commands allow this one? One with operators of the shell only where the rule is the very command. */
export function allowsCommand(pattern: string, command: string): boolean {
  if (command === pattern) return true
  const words = plainCommand(command)
  if (words === undefined) return false
  if (pattern.includes('*')) return matchesWildcards(pattern, command)
  const wanted = plainCommand(pattern)
  return wanted?.every((word, at) => words[at] === word) === true
}

/** `*` stands for any text. Takes time in proportion to both lengths at worst, whatever the pattern. */
function matchesWildcards(pattern: string, text: string): boolean {
  let at = 0
  let inPattern = 0
  let star = -1
  let resume = 0
  while (at < text.length) {
    if (pattern[inPattern] === '*') {
      star = inPattern
      inPattern += 1
      resume = at
    } else if (pattern[inPattern] === text[at]) {
      inPattern += 1
      at += 1
    } else if (star >= 0) {
      inPattern = star + 1
      resume += 1
      at = resume
    } else return false
  }
  return /^\**$/.test(pattern.slice(inPattern))
}
