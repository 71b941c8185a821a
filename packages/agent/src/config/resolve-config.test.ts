import { chown } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { PalimpsestError } from 'palimpsest'
import { describe, expect, it } from 'vitest'
import type { AgentConfig, ConfigSource, ResolvedConfig } from './agent-config.ts'
import { CONFIG_KEY_NAMES, CONFIG_KEYS, flagOf } from './config-keys.ts'
import { folderWith, writeFiles } from './folder-tree.test-data.ts'
import { type ResolveOptions, resolveConfig } from './resolve-config.ts'

describe('where values come from', () => {
  it('has its defaults where nothing is said', async () => {
    const cwd = await folderWith()
    expect(await resolveConfig(options(cwd))).toEqual({
      config: { policy: 'palimpsest', commandSeconds: 120, toolResults: 'full', redact: false },
      sources: {
        policy: { kind: 'default' },
        commandSeconds: { kind: 'default' },
        toolResults: { kind: 'default' },
        redact: { kind: 'default' },
      },
      entrySources: { modelProfiles: {}, baseUrls: {} },
    })
  })

  it.each([
    [
      'palimpsest.config.ts',
      `import { defineConfig } from '@palimpsest/agent'\nconst window: number = 9_000\nexport default defineConfig({ window })`,
    ],
    ['palimpsest.config.mts', 'const config: { window: number } = { window: 9000 }\nexport default config'],
    ['palimpsest.config.js', 'module.exports = { window: 9000 }'],
    ['palimpsest.config.mjs', 'export default { window: 9000 }'],
    ['palimpsest.config.json', '\ufeff{"$schema": "x", "window": 9000}'],
  ])('reads %s', async (name, text) => {
    const cwd = await folderWith({ [name]: text })
    const { config, sources, file } = await resolveConfig(options(cwd))
    expect(config.window).toBe(9000)
    expect(sources.window).toEqual({ kind: 'file', name: join(cwd, name) })
    expect(file).toBe(join(cwd, name))
  })

  it('finds the nearest file up to the root of the repository, and none above it', async () => {
    const top = await folderWith({
      'palimpsest.config.json': '{"window": 1}',
      'repo/.git/HEAD': '',
      'repo/palimpsest.config.json': '{"window": 2}',
      'repo/a/b/x': '',
      'repo/c/palimpsest.config.json': '{"window": 3}',
      'other/.git': 'gitdir: somewhere',
      'plain/x': '',
    })
    const windowIn = async (folder: string) => (await resolveConfig(options(join(top, folder)))).config.window
    expect(await windowIn('repo/a/b')).toBe(2)
    expect(await windowIn('repo/c')).toBe(3)
    expect(await windowIn('other')).toBeUndefined()
    expect(await windowIn('plain')).toBeUndefined()
    expect(await windowIn('.')).toBe(1)
  })

  it('reads the file that is named instead of the project, and none at all where that is asked for', async () => {
    const cwd = await folderWith({ 'palimpsest.config.json': '{"window": 1}', 'mine.json': '{"maxSteps": 2}' })
    const named = await resolveConfig(options(cwd, { file: 'mine.json' }))
    expect(named.config).toMatchObject({ maxSteps: 2 })
    expect(named.config.window).toBeUndefined()
    const none = await resolveConfig(options(cwd, { file: false, env: userFile(cwd) }))
    expect(none.config.window).toBeUndefined()
    expect(none.userFile).toBeUndefined()
  })

  it.skipIf(process.getuid?.() !== 0)("does not run another user's file in a folder above", async () => {
    const cwd = await folderWith({ '.git/HEAD': '', 'palimpsest.config.json': '{"window": 1}', 'sub/x': '' })
    await chown(join(cwd, 'palimpsest.config.json'), 12_345, 12_345)
    expect(await messageOf(options(join(cwd, 'sub')))).toMatch(/belongs to another user.* --config/)
    expect((await resolveConfig(options(cwd))).config.window).toBe(1)
    const named = await resolveConfig(options(join(cwd, 'sub'), { file: '../palimpsest.config.json' }))
    expect(named.config.window).toBe(1)
  })

  it('reads paths from where they stand', async () => {
    const cwd = await folderWith({
      'palimpsest.config.json': JSON.stringify({
        store: 's.db',
        skills: ['skills', '/abs', '~/mine'],
        policy: 'p.json',
      }),
      'p.json': '{"extends": "hango"}',
    })
    const { config } = await resolveConfig(options(cwd, { env: { HOME: '/home/me' } }))
    expect(config.store).toBe(join(cwd, 's.db'))
    expect(config.skills).toEqual([join(cwd, 'skills'), '/abs', '/home/me/mine'])
    expect(config.policy).toBe(join(cwd, 'p.json'))
    const other = async (store: string) => (await resolveConfig(options(cwd, { flags: { store } }))).config.store
    expect(await other('postgres://me@db/x')).toBe('postgres://me@db/x')
    expect(await other('sqlite:x.db')).toBe(`sqlite:${join(cwd, 'x.db')}`)
  })

  it('A7 for every key and any combination of places, the strongest one wins, and sources says so', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...CONFIG_KEY_NAMES), fc.subarray<Place>([...PLACES]), async (key, places) => {
        const { cwd, resolved } = await resolvedFrom(key, places)
        const strongest = places.filter((place) => place !== 'environment' || CONFIG_KEYS[key].variable).at(-1)
        const [value, source] = expected(key, strongest, cwd)
        expect(resolved.config[key]).toEqual(value)
        expect(resolved.sources[key]).toEqual(source)
      }),
      { numRuns: 150 },
    )
  })

  it('merges profiles and base URLs by entry, and knows of each where it comes from', async () => {
    const cwd = await folderWith({
      'palimpsest.config.json': JSON.stringify({
        modelProfiles: { one: { window: 1, maxOutput: 1 }, two: { window: 2 } },
        baseUrls: { openai: 'https://a.example', google: 'https://b.example' },
      }),
    })
    const env = { PALIMPSEST_MODEL_PROFILES: '{"one": {"max_input_tokens": 10}, "three": {"window": 3}}' }
    const flags = { baseUrls: { openai: 'https://c.example' } }
    const { config, sources, entrySources } = await resolveConfig(options(cwd, { env, flags }))
    expect(config.modelProfiles).toEqual({ one: { window: 10 }, two: { window: 2 }, three: { window: 3 } })
    expect(config.baseUrls).toEqual({ openai: 'https://c.example', google: 'https://b.example' })
    expect(sources).toMatchObject({ modelProfiles: { kind: 'environment' }, baseUrls: { kind: 'flag' } })
    expect(entrySources.modelProfiles?.two).toEqual({ kind: 'file', name: join(cwd, 'palimpsest.config.json') })
    expect(entrySources.baseUrls?.openai).toEqual({ kind: 'flag', name: '--base-url' })
  })

  it('A5 what a stronger place says of all models beats a profile; in the same place the profile counts', async () => {
    const profile = { triggerFrac: 0.5, keepFrac: 0.2, summarizerModel: 'small', window: 1000 }
    const cwd = await folderWith({
      'palimpsest.config.json': JSON.stringify({ modelProfiles: { m: profile }, contextTriggerFrac: 0.9 }),
    })
    const weak = await resolveConfig(options(cwd))
    expect(weak.config.modelProfiles).toEqual({ m: profile })
    const env = { PALIMPSEST_CONTEXT_TRIGGER_FRAC: '0.7', PALIMPSEST_SUMMARIZER_MODEL: 'extractive' }
    const strong = await resolveConfig(options(cwd, { env }))
    expect(strong.config.modelProfiles).toEqual({ m: { keepFrac: 0.2, window: 1000 } })
  })

  it('an empty variable says nothing', async () => {
    const cwd = await folderWith({ 'palimpsest.config.json': '{"model": "a:b"}' })
    const { config } = await resolveConfig(options(cwd, { env: { PALIMPSEST_MODEL: ' ', PALIMPSEST_STORE: '' } }))
    expect(config.model).toBe('a:b')
    expect(config.store).toBeUndefined()
  })
})

describe('what is wrong', () => {
  it('tells all faults at once, each with place, key, what was found and what would work', async () => {
    const cwd = await folderWith({
      'palimpsest.config.json': JSON.stringify({ modle: 'a:b', window: '200k', allow: ['write', 5], trigger_frac: 1 }),
    })
    const env = { PALIMPSEST_CONTEXT_TRIGGER_FRAC: '85%', PALIMPSEST_MODEL_PROFILES: '{"m": {"windwo": 1}}' }
    const file = join(cwd, 'palimpsest.config.json')
    const message = await messageOf(options(cwd, { env, flags: { maxSteps: 0, contextKeepFrac: Number.NaN } }))
    expect(message.split('\n')).toEqual([
      '8 faults in the configuration:',
      `${file}: modle is not known; is model meant?`,
      `${file}: window is "200k"; it wants a whole number of tokens above 0.`,
      `${file}: allow.1 is 5; it wants a list of write, command, command:WORDS or all.`,
      `${file}: trigger_frac is not known; is contextTriggerFrac meant?`,
      'PALIMPSEST_CONTEXT_TRIGGER_FRAC is "85%"; it wants a number above 0, at most 1, such as 0.85.',
      expect.stringMatching(/^PALIMPSEST_MODEL_PROFILES cannot be used: Model profiles: m\.windwo is not known/),
      '--max-steps is 0; it wants a whole number above 0.',
      '--keep-frac is NaN; it wants a number from 0, below 1, such as 0.1.',
    ])
  })

  it.each([
    [
      'palimpsest.config.ts',
      "const x = 1\n\nthrow new Error('the key is missing')",
      /config\.ts cannot be used: the key is missing \(\/.*config\.ts:3:\d+\)\.$/,
    ],
    [
      'palimpsest.config.ts',
      'export default {\n  a: 1,,\n}',
      /config\.ts cannot be used: ParseError: .*config\.ts:2:7\.$/,
    ],
    ['palimpsest.config.mjs', "throw 'words'", /config\.mjs cannot be used: words/],
    ['palimpsest.config.ts', 'export const model = 1', /config\.ts exports no default/],
    ['palimpsest.config.ts', 'export default () => ({})', /config\.ts holds a function; it wants an object/],
    [
      'palimpsest.config.ts',
      'export default { get model() { throw new Error("no") } }',
      /config\.ts: model cannot be read: Error: no\./,
    ],
    [
      'palimpsest.config.ts',
      'const m: any = {}; m.m = m; export default { modelProfiles: m }',
      /modelProfiles cannot be read/,
    ],
    ['palimpsest.config.json', '{"model": }', /config\.json is not JSON: /],
    ['palimpsest.config.json', '[1]', /config\.json holds \[1\]; it wants an object/],
    ['palimpsest.config.json', '{"policy": "none"}', /policy cannot be used: There is no policy "none"/],
    ['palimpsest.config.json', '{"policy": "gone.json"}', /policy cannot be used: \/.*gone\.json: ENOENT/],
    [
      'palimpsest.config.json',
      '{"allow": ["everything"]}',
      /allow cannot be used: "everything" is no rule.* Rules are /,
    ],
    ['palimpsest.config.json', '{"model": null}', /model is null/],
    ['palimpsest.config.json', '{"baseUrls": {"openai": "ftp://x"}}', /baseUrls.openai is "ftp:\/\/x"/],
  ])('%s with %s', async (name, text, message) => {
    const cwd = await folderWith({ [name]: text })
    expect(await messageOf(options(cwd))).toMatch(message)
  })

  it('two files in one folder are an error that names both', async () => {
    const cwd = await folderWith({ 'palimpsest.config.json': '{}', 'palimpsest.config.ts': 'export default {}' })
    const message = await messageOf(options(cwd))
    expect(message).toContain('holds palimpsest.config.ts and palimpsest.config.json')
  })

  it('a file that is named and not there, or a folder, is told by its path', async () => {
    const cwd = await folderWith({ 'palimpsest.config.ts/x': '' })
    expect(await messageOf(options(cwd, { file: 'gone.ts' }))).toContain(`There is no file ${join(cwd, 'gone.ts')}`)
    expect(await messageOf(options(cwd))).toContain('palimpsest.config.ts is no file')
  })

  it('never prints a secret', async () => {
    const cwd = await folderWith({
      'palimpsest.config.json': JSON.stringify({
        baseUrls: { a: 'ftp://user:geheim-1@host', b: 'x' },
        store: ['postgres://me:geheim-2@db/x?password=geheim-3'],
        model: 'sk-ant-api03-geheim4geheim4geheim4geheim4geheim4geheim4',
      }),
    })
    const message = await messageOf(options(cwd, { env: { PALIMPSEST_CONTEXT_KEEP_FRAC: 'https://geheim-5@host' } }))
    expect(message).toContain('4 faults')
    expect(message).not.toMatch(/geheim/)
  })

  it('throws nothing but a PalimpsestError, whatever JSON stands in the file', async () => {
    const cwd = await folderWith()
    const known = fc.record(Object.fromEntries(CONFIG_KEY_NAMES.map((key) => [key, fc.jsonValue()])), {
      requiredKeys: [],
    })
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.jsonValue(), known), async (value) => {
        await writeFiles(cwd, { 'palimpsest.config.json': JSON.stringify(value) })
        const error = await resolveConfig(options(cwd)).then(
          () => undefined,
          (thrown: unknown) => thrown,
        )
        if (error !== undefined) expect(error).toBeInstanceOf(PalimpsestError)
      }),
      { numRuns: 200 },
    )
  })
})

const PLACES = ['userFile', 'file', 'environment', 'flag'] as const
type Place = (typeof PLACES)[number]

/** Four values of each key, by place. */
const VALUES: { readonly [Key in keyof AgentConfig]-?: readonly Required<AgentConfig>[Key][] } = {
  model: ['a:1', 'a:2', 'a:3', 'a:4'],
  summarizerModel: ['s1', 's2', 's3', 'extractive'],
  effort: ['low', 'medium', 'low', 'high'],
  policy: ['hango', 'keen', 'goclaw', 'deepagents'],
  window: [1, 2, 3, 4],
  contextTriggerFrac: [0.1, 0.2, 0.3, 1],
  contextKeepFrac: [0, 0.2, 0.3, 0.4],
  toolArgMaxTokens: [0, 2, 3, 4],
  modelProfiles: [{ m: { window: 1 } }, { m: { window: 2 } }, { m: { window: 3 } }, { m: { window: 4 } }],
  baseUrls: [{ a: 'http://h/1' }, { a: 'http://h/2' }, { a: 'http://h/3' }, { a: 'http://h/4' }],
  allow: [['write'], ['command'], [], ['all']],
  store: ['/1.db', '/2.db', '/3.db', 'postgres://h/d'],
  maxSteps: [1, 2, 3, 4],
  commandSeconds: [1, 2, 3, 0.5],
  skills: [['/1'], ['/2'], [], ['/4']],
  toolResults: ['compact', 'full', 'compact', 'full'],
  redact: [true, false, true, false],
}

async function resolvedFrom(
  key: keyof AgentConfig,
  places: readonly Place[],
): Promise<{ cwd: string; resolved: ResolvedConfig }> {
  const value = (place: Place) => VALUES[key][PLACES.indexOf(place)]
  const json = (place: Place) => JSON.stringify({ [key]: value(place) })
  const cwd = await folderWith({
    ...(places.includes('file') && { 'palimpsest.config.json': json('file') }),
    ...(places.includes('userFile') && { 'xdg/palimpsest/palimpsest.config.json': json('userFile') }),
  })
  const { variable } = CONFIG_KEYS[key]
  const inEnvironment = value('environment')
  const text = typeof inEnvironment === 'string' ? inEnvironment : JSON.stringify(inEnvironment)
  const env = { ...userFile(cwd), ...(variable && places.includes('environment') && { [variable]: text }) }
  const flags = places.includes('flag') ? { [key]: value('flag') } : {}
  return { cwd, resolved: await resolveConfig({ cwd, env, flags }) }
}

function expected(key: keyof AgentConfig, place: Place | undefined, cwd: string): [unknown, ConfigSource | undefined] {
  const { fallback, variable } = CONFIG_KEYS[key]
  if (place === undefined) return [fallback, fallback === undefined ? undefined : { kind: 'default' }]
  const sources: Record<Place, ConfigSource> = {
    userFile: { kind: 'file', name: join(cwd, 'xdg/palimpsest/palimpsest.config.json') },
    file: { kind: 'file', name: join(cwd, 'palimpsest.config.json') },
    environment: { kind: 'environment', name: variable ?? '' },
    flag: { kind: 'flag', name: flagOf(key) },
  }
  return [VALUES[key][PLACES.indexOf(place)], sources[place]]
}

function userFile(cwd: string): Record<string, string> {
  return { XDG_CONFIG_HOME: join(cwd, 'xdg') }
}

function options(cwd: string, more: Partial<ResolveOptions> = {}): ResolveOptions {
  return { cwd, env: {}, flags: {}, ...more }
}

async function messageOf(given: ResolveOptions): Promise<string> {
  const error = await resolveConfig(given).then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(PalimpsestError)
  return error instanceof Error ? error.message : ''
}
