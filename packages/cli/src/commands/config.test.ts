import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PalimpsestError } from 'palimpsest'
import { describe, expect, it, onTestFinished } from 'vitest'
import { recordingTerminal } from '../recording-terminal.test-data.ts'
import { configCommand } from './config.ts'

describe('palimpsest config', () => {
  it('prints key, value and source, aligned, and what counts where nothing is said', async () => {
    const cwd = await folderWith({ maxSteps: 7, allow: ['write'], baseUrls: { openai: 'https://a.example/v1' } })
    const terminal = recordingTerminal()
    const env = { PALIMPSEST_CONTEXT_TRIGGER_FRAC: '0.7' }
    expect(await configCommand({ cwd, env, flags: { baseUrls: { google: 'https://b.example' } } }, terminal)).toBe(0)
    const file = join(cwd, 'palimpsest.config.json')
    expect(terminal.written.split('\n')).toEqual([
      'key                 value                 from',
      'model               -                     default: must be named',
      "summarizerModel     -                     default: the run's own model",
      'effort              -                     default: as the provider has it',
      'policy              palimpsest            default',
      "window              -                     default: as the model's profile says",
      'contextTriggerFrac  0.7                   PALIMPSEST_CONTEXT_TRIGGER_FRAC',
      'contextKeepFrac     -                     default: as the policy says',
      'toolArgMaxTokens    -                     default: as the policy says',
      'modelProfiles       -                     default: what is known of each model',
      `baseUrls.openai     https://a.example/v1  ${file}`,
      'baseUrls.google     https://b.example     --base-url',
      `allow               ["write"]             ${file}`,
      "store               -                     default: a file in the user's data folder",
      `maxSteps            7                     ${file}`,
      'commandSeconds      120                   default',
      'skills              -                     default: none but the usual folders',
      'toolResults         full                  default',
      'redact              false                 default',
      '',
    ])
  })

  it('gives all of it as JSON', async () => {
    const cwd = await folderWith({ modelProfiles: { m: { max_input_tokens: 5 } } })
    const terminal = recordingTerminal()
    await configCommand({ cwd, env: {}, flags: { model: 'a:b' }, json: true }, terminal)
    const file = join(cwd, 'palimpsest.config.json')
    const printed: unknown = JSON.parse(terminal.written)
    expect(printed).toMatchObject({
      file,
      user_file: null,
      config: {
        model: { value: 'a:b', source: { kind: 'flag', name: '--model' } },
        effort: { value: null, source: { kind: 'default' } },
        modelProfiles: {
          value: { m: { window: 5 } },
          source: { kind: 'file', name: file },
          entries: { m: { kind: 'file', name: file } },
        },
      },
    })
  })

  it.each([false, true])('masks every secret (JSON: %s)', async (json) => {
    const cwd = await folderWith({ baseUrls: { openai: 'https://geheim-1@a.example/v1?api_key=geheim-2' } })
    const terminal = recordingTerminal()
    const env = { PALIMPSEST_STORE: 'postgres://me:geheim-3@db.example/x?password=geheim-4' }
    await configCommand({ cwd, env, flags: {}, json }, terminal)
    expect(terminal.written).toContain('postgres://…@db.example/x?password=…')
    expect(terminal.written).toContain('https://…@a.example/v1?api_key=…')
    expect(terminal.written).not.toContain('geheim')
  })

  it('steers no terminal with what stands in a file', async () => {
    const cwd = await folderWith({ baseUrls: { 'a\u001b[2J': 'https://a.example/\u202e' } })
    const terminal = recordingTerminal()
    await configCommand({ cwd, env: {}, flags: {} }, terminal)
    expect(terminal.written).toContain('baseUrls.a')
    for (const character of ['\u001b', '\u202e']) expect(terminal.written).not.toContain(character)
  })

  it('refuses a configuration that is wrong', async () => {
    const cwd = await folderWith({ modle: 'a:b' })
    const refused = configCommand({ cwd, env: {}, flags: {} }, recordingTerminal())
    await expect(refused).rejects.toThrow(PalimpsestError)
    await expect(refused).rejects.toThrow(/modle is not known; is model meant\?/)
  })
})

async function folderWith(config: unknown): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'palimpsest-config-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await writeFile(join(folder, 'palimpsest.config.json'), JSON.stringify(config))
  return folder
}
