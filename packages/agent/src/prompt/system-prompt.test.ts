import { estimateText } from 'palimpsest'
import { describe, expect, it } from 'vitest'
import { subAgentPrompt, systemPrompt } from './system-prompt.ts'

const surroundings = { cwd: '/home/me/project', platform: 'linux', repository: true }

it('only the agent may ask somebody; a sub-agent says how it answers', () => {
  expect(systemPrompt(surroundings)).toContain('Where a wrong guess would cost much, ask.')
  expect(subAgentPrompt(surroundings)).not.toMatch(/\bask\b/)
  expect(subAgentPrompt(surroundings)).toContain('# Your answer')
})

describe.each([
  ['the agent', systemPrompt],
  ['a sub-agent', subAgentPrompt],
])('D10 the system prompt of %s', (_name, prompt) => {
  it('is the same for the same surroundings, and holds neither date nor clock', () => {
    expect(prompt(surroundings)).toBe(prompt({ ...surroundings }))
    expect(prompt(surroundings)).not.toMatch(/\b20\d\d\b|\d\d:\d\d/)
  })

  it('says where it works', () => {
    expect(prompt(surroundings)).toContain(
      '- Working folder: /home/me/project\n- Platform: Linux\n- Git repository: yes',
    )
    expect(prompt({ cwd: 'C:\\x', platform: 'haiku', repository: false })).toContain(
      '- Working folder: C:\\x\n- Platform: haiku\n- Git repository: no',
    )
  })

  it('D9 says how what left the view is found again', () => {
    for (const tool of ['search_history', 'read_history', 'compact_conversation', 'read_file']) {
      expect(prompt(surroundings)).toContain(tool)
    }
  })

  it('is short', () => {
    expect(estimateText(prompt(surroundings), { family: 'o200k' })).toBeLessThan(1_500)
  })
})
