import { describe, expect, it } from 'vitest'
// @ts-expect-error a script without types
import { eventsOf, measureEvent, neededReferences } from './recall.mjs'

const part = (kind: string, text: string, more = {}) => ({
  kind,
  text: () => text,
  bytes: () => text.length,
  editable: true,
  ...more,
})
const call = (id: string, args: object) => ({
  role: 'assistant',
  parts: [part('tool-call', JSON.stringify(args), { callId: id, toolName: 'command' in args ? 'Bash' : 'Edit' })],
})
const result = (id: string, text: string) => ({ role: 'tool', parts: [part('tool-result', text, { callId: id })] })

const ITEMS = [
  { role: 'user', parts: [part('text', 'Go on')] },
  call('1', { command: 'cat /w/src/router.ts' }),
  result('1', 'export function loadRoutes() {}\nexport function dropRoutes() {}\nconst routeCount = 1'),
  // The compaction is here.
  call('2', { command: 'grep -n dropRoutes src/router.ts' }),
  result('2', 'routeCount stands beside it'),
  call('3', {
    file_path: '/w/src/router.ts',
    old_string: 'export function loadRoutes() {}',
    new_string: 'routeCount, unheardOf()',
  }),
  result('3', 'ok'),
  ...['4', '5', '6'].flatMap((id) => [call(id, { command: 'git status' }), result(id, '')]),
]
const SESSION = { items: ITEMS, cwd: '/w', compactions: [{ position: 3, kind: 'summary' }] }

describe('needed-later recall', () => {
  it('asks for what history holds, once each, and knows what was shown again before it was used', () => {
    const [event] = eventsOf(SESSION, 'a.jsonl')
    expect(neededReferences(event)).toEqual([
      { kind: 'path', text: 'src/router.ts', relearned: false },
      { kind: 'ident', text: 'dropRoutes', relearned: false },
      { kind: 'exact', text: 'export function loadRoutes() {}', relearned: false },
      { kind: 'ident', text: 'loadRoutes', relearned: false },
      { kind: 'ident', text: 'routeCount', relearned: true },
    ])
  })

  it('leaves out events that fewer than five calls follow, and compactions that only blanked results', () => {
    expect(eventsOf({ ...SESSION, items: ITEMS.slice(0, 8) }, 'a.jsonl')).toEqual([])
    expect(eventsOf({ ...SESSION, compactions: [{ position: 3, kind: 'micro' }] }, 'a.jsonl')).toEqual([])
  })

  it('measures the view it is given: nothing, a flat list, names on the line of their file', () => {
    const [event] = eventsOf(SESSION, 'a.jsonl')
    const measured = (view: string) => measureEvent(event, () => view).byBudget[0]
    expect(measured('')).toMatchObject({ strict: 0, inclusive: 0, anchored: 0, lost: 0.2 })
    expect(measured('dropRoutes routeCount loadRoutes')).toMatchObject({
      inclusive: 0.6,
      ident: 1,
      anchored: 0,
      path: 0,
    })
    expect(measured('src/router.ts: dropRoutes routeCount loadRoutesX')).toMatchObject({
      ident: 2 / 3,
      anchored: 2 / 3,
      path: 1,
    })
  })
})
