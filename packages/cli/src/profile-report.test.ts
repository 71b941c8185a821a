import { importSessionText } from '@palimpsest/sessions'
import { DEFAULT_PRESET, dialectByName, profileSession, type SessionProfile } from 'palimpsest'
import { expect, it } from 'vitest'
import { anthropic, inventedSteps } from './invented-requests.test-data.ts'
import { profileText } from './profile-report.ts'

const body = anthropic(inventedSteps(3, 200))
const session = importSessionText(JSON.stringify(body))
const dialect = dialectByName('anthropic-messages')
const items = dialect.open(body).items
const sound = profileSession(dialect, { items, calls: [] }, { preset: DEFAULT_PRESET, overhead: 100, scale: 1 })

it('lists the rules that requests would break, and claims no more than is known of the others', () => {
  const violation = { rule: 'anthropic/some-rule', position: 3, message: 'It is wrong.', fix: 'Mend it.' }
  const text = textOf({ ...sound, sound: 2, violations: [violation, { ...violation, position: 5 }] })
  const all = sound.steps.length
  expect(text).toMatch(
    new RegExp(`^palimpsest: at least 2 of ${all} requests keep the rules of anthropic-messages$`, 'm'),
  )
  expect(text).toMatch(/^ {2}broken rule anthropic\/some-rule, message 3 of the request: It is wrong\.$/m)
  expect(textOf(sound)).not.toMatch(/broken rule|at least/)
})

it('counts the requests that are too large, and says above which size', () => {
  const all = sound.steps.length
  expect(textOf({ ...sound, unfit: 2 })).toMatch(
    new RegExp(`^palimpsest: 2 of ${all} requests would be refused by size \\(above 170\\.0k\\)$`, 'm'),
  )
  expect(textOf(sound)).not.toMatch(/refused by size/)
})

function textOf(profile: SessionProfile): string {
  const overhead = { tokens: 100, source: 'given' } as const
  const profiled = { file: 'x', session, overhead, mended: 0, profiles: [profile], windowSource: 'known' } as const
  return profileText(profiled, { columns: 80, color: false })
}
