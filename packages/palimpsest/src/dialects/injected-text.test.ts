import { describe, expect, it } from 'vitest'
import { wrapCheckpoint } from '../engine/summary/checkpoint-text.ts'
import { isInjectedText } from './injected-text.ts'

describe('isInjectedText', () => {
  it.each([
    '<system-reminder>Today is Monday.</system-reminder>',
    '<system-reminder>a</system-reminder>\n<system-reminder>b</system-reminder>\n',
    '<command-message>run</command-message>\n<command-name>/run</command-name>\n<command-args>x</command-args>',
    '<local-command-stdout></local-command-stdout>',
    '<bash-input>ls</bash-input>',
    '<ide_opened_file>The user opened a.ts</ide_opened_file>',
    '<environment_context>\n  <cwd>/p</cwd>\n</environment_context>',
    '<permissions instructions>\nask first\n</permissions instructions>',
    '<skill>\n<name>x</name>\n</skill>',
    '# AGENTS.md instructions for /p\n\nUse tabs.',
    '# Files mentioned by the user:\n\n## a.txt: /p/a.txt\n',
    'Base directory for this skill: /p\n\n# Skill',
    'Stop hook feedback:\n- run the tests',
    '[Request interrupted by user for tool use]',
    wrapCheckpoint({ summary: 'Renamed the flag.', lastUserMessage: 'Go on.' }),
  ])("knows %j as not the user's", (text) => {
    expect(isInjectedText(text)).toBe(true)
  })

  it.each([
    '<system-reminder>Today is Monday.</system-reminder>\n\nFix the port, it must be 8443.',
    '<ide_opened_file>a.ts</ide_opened_file>\nFind the bug.',
    '<bash-completion> script is broken, fix it',
    '<compacted_context> is a tag I saw in my logs. What is it?',
    '<system-reminder> appears in my prompt, why?',
    '<div>make this blue</div>',
    '\n# Files mentioned by the user:\n\n## a.txt: /p/a.txt\n\n## My request for Codex:\nFix the port.',
    '# AGENTS.md instructions are wrong, fix them',
    '[Request interrupted by user] no, do it in the other file',
    'Continue from where you left off.',
    '',
  ])('leaves %j to the user', (text) => {
    expect(isInjectedText(text)).toBe(false)
  })
})
