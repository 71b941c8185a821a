import {
  type AutocompleteProvider,
  type AutocompleteSuggestions,
  CombinedAutocompleteProvider,
} from '@mariozechner/pi-tui'
import { plainText } from '../session-text/plain-text.ts'
import { SLASH_COMMANDS } from './slash-commands.ts'

/** Completes commands, their arguments, and paths of the folder, behind an `@` too. */
export function completions({
  cwd,
  models,
}: {
  readonly cwd: string
  readonly models: () => readonly string[]
}): AutocompleteProvider {
  const commands = SLASH_COMMANDS.map(({ name, argument, says }) => ({
    name,
    description: says,
    ...(argument !== '' && { argumentHint: argument }),
    ...(name === 'model' && { getArgumentCompletions: (start: string) => modelsFrom(models(), start) }),
  }))
  return withPathsBehindAt(new CombinedAutocompleteProvider([...commands], cwd))
}

function modelsFrom(models: readonly string[], start: string) {
  return models.filter((name) => name.startsWith(start)).map((name) => ({ value: name, label: name }))
}

/** The provider looks for what stands behind an `@` with a program that may not be there; as a plain path it finds it itself. */
function withPathsBehindAt(provider: CombinedAutocompleteProvider): AutocompleteProvider {
  return {
    async getSuggestions(lines, cursorLine, cursorCol, options) {
      const before = (lines[cursorLine] ?? '').slice(0, cursorCol)
      const start = /(?:^|\s)@([^\s"]*)$/.exec(before)?.[1]
      if (start === undefined)
        return readable(await provider.getSuggestions([...lines], cursorLine, cursorCol, options))
      const path = `./${start}`
      const found = await provider.getSuggestions([path], 0, path.length, { ...options, force: true })
      if (found === null) return null
      const items = found.items.map((item) => ({ ...item, value: `@${item.value.replace(/^("?)\.\//, '$1')}` }))
      return readable({ items, prefix: `@${start}` })
    },
    applyCompletion: (lines, cursorLine, cursorCol, item, prefix) =>
      provider.applyCompletion(lines, cursorLine, cursorCol, item, prefix),
    shouldTriggerFileCompletion: (lines, cursorLine, cursorCol) =>
      provider.shouldTriggerFileCompletion(lines, cursorLine, cursorCol),
  }
}

/** Names of files may hold what would steer a terminal. */
function readable(found: AutocompleteSuggestions | null): AutocompleteSuggestions | null {
  return found && { ...found, items: found.items.map((item) => ({ ...item, label: plainText(item.label) })) }
}
