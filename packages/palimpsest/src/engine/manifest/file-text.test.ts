import { describe, expect, it } from 'vitest'
import type { MessageView } from '../messages/message.ts'
import { scopeOf } from './briefing-scope.ts'
import { fileTextOf, windowsAround } from './file-text.ts'
import { fileUses } from './file-uses.ts'
import { addToManifest, createManifest } from './manifest.ts'
import { quarter, slices, step } from './transcript.test-data.ts'

function textOf(path: string, ...views: readonly MessageView[]) {
  const manifest = createManifest()
  addToManifest(manifest, slices(...views))
  const scope = scopeOf(manifest, { from: 0, upTo: manifest.end, lastUserMessage: undefined }, quarter)
  const use = fileUses(scope).get(path)
  return use === undefined ? undefined : fileTextOf(use, scope)
}

describe('the text of a file, from the transcript alone', () => {
  it('is what was read, with later edits made, without line numbers and reminders', () => {
    const shown = '     1→const a = "$&"\n     2→const b = 2\n\n<system-reminder>note</system-reminder>'
    const text = textOf(
      'f/a.ts',
      ...step('1', 'Read', { file_path: 'f/a.ts' }, shown),
      ...step('2', 'Edit', { file_path: 'f/a.ts', old_string: 'const b = 2', new_string: "const b = '$&'" }, 'ok'),
      ...step(
        '3',
        'Edit',
        { file_path: 'f/a.ts', old_string: 'const b', new_string: 'never' },
        'File has changed',
        true,
      ),
    )
    expect(text?.pieces).toEqual(['const a = "$&"\nconst b = \'$&\''])
  })

  it('is what was written last, and what a command printed', () => {
    expect(
      textOf(
        'a.ts',
        ...step('1', 'Write', { file_path: 'a.ts', content: 'one' }, 'ok'),
        ...step('2', 'Write', { file_path: 'a.ts', content: 'two' }, 'ok'),
      )?.pieces,
    ).toEqual(['two'])
    const printed = 'Chunk ID: 1\nWall time: 0 seconds\nProcess exited with code 0\nOutput:\nfn main() {}'
    expect(
      textOf('src/a.rs', ...step('1', 'exec_command', { cmd: "sed -n '1,9p' src/a.rs" }, printed))?.pieces,
    ).toEqual(['fn main() {}'])
  })

  it('is shown around the edits where all of it does not fit', () => {
    const lines = Array.from({ length: 400 }, (_, at) => `line ${at} of the file`)
    const text = { pieces: [lines.join('\n')], edited: ['line 200 of the file'] }
    const shown = windowsAround(text, 100, quarter)
    expect(quarter(shown)).toBeLessThanOrEqual(100)
    expect(shown).toContain('line 199 of the file\nline 200 of the file\nline 201 of the file')
    expect(shown.startsWith('…\n')).toBe(true)
    expect(windowsAround(text, 10_000, quarter)).toBe(lines.join('\n'))
  })
})
