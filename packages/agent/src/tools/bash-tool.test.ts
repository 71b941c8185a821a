import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { cleanEnvironment } from './command/clean-environment.ts'
import { OutputBuffer } from './command/output-buffer.ts'
import { toolsInFolder } from './workspace.test-data.ts'

/** Waits until a command has written a file: the event that says it has begun. */
async function written(path: string): Promise<string> {
  for (;;) {
    const text = existsSync(path) ? await readFile(path, 'utf8') : ''
    if (text.endsWith('\n')) return text.trim()
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  return true
}

/** Waits for the end of a process that is none of ours; a zombie that nobody has fetched has ended, too. */
async function gone(pid: number): Promise<void> {
  while (isAlive(pid)) {
    const state = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
    if (/\) Z /.test(state)) return
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

describe('bash', () => {
  it('runs in the workspace, without input, and gives what is printed in order', async () => {
    const { root, call } = await toolsInFolder()
    expect(await call('bash', { command: 'pwd; cat; echo one; echo two >&2; echo three' })).toEqual({
      text: `Exit code: 0\nOutput:\n${root}\none\ntwo\nthree`,
      exitCode: 0,
      brief: '4 lines',
    })
  })

  it.each([
    ['exit 3', { text: 'Exit code: 3\n(no output)', exitCode: 3, failed: true, brief: 'exit 3' }],
    [
      'kill -9 $$',
      { text: 'Exit code: 137 (ended by SIGKILL)\n(no output)', exitCode: 137, failed: true, brief: 'exit 137' },
    ],
    [
      'nosuchprogram',
      {
        text: expect.stringContaining('line 1: nosuchprogram: command not found'),
        exitCode: 127,
        failed: true,
        brief: 'exit 127',
      },
    ],
    ['true', { text: 'Exit code: 0\n(no output)', exitCode: 0, brief: '0 lines' }],
  ])('says how %j ended', async (command, output) => {
    const { call } = await toolsInFolder()
    expect(await call('bash', { command })).toEqual(output)
  })

  it('takes quotes, lines and dollars as bash does', async () => {
    const { call } = await toolsInFolder()
    const command = `x='a "b"'\necho "$x" $1 '$x'\ncat <<'END'\nit's $HOME\nEND`
    expect((await call('bash', { command })).text).toBe(`Exit code: 0\nOutput:\na "b" $x\nit's $HOME`)
  })

  it('stops a command whose time is over, with all that it started, and says so', async () => {
    const { root, call } = await toolsInFolder()
    const command = `trap '' TERM; (trap '' TERM; echo $BASHPID > child; while :; do sleep 0.1; done) & echo started; wait; while :; do sleep 0.1; done`
    const output = await call('bash', { command, timeout_seconds: 1 })
    expect(output).toMatchObject({ exitCode: 124, failed: true, brief: 'stopped after 1 s' })
    expect(output.text).toMatch(
      /^Exit code: 124 \(stopped: it ran longer than 1 seconds?\. Give timeout_seconds up to 600/,
    )
    expect(output.text).toContain('Output:\nstarted')
    await gone(Number(await written(join(root, 'child'))))
  })

  it('rejects with the reason of the signal when that is aborted, and the whole group is ended', async () => {
    const { root, call } = await toolsInFolder()
    const aborting = new AbortController()
    const running = call('bash', { command: 'sleep 100 & echo $! > child; wait' }, aborting.signal)
    const child = Number(await written(join(root, 'child')))
    expect(isAlive(child)).toBe(true)
    aborting.abort(new Error('the user said so'))
    await expect(running).rejects.toThrow('the user said so')
    await gone(child)
  })

  it('does not wait for what goes on in the background', async () => {
    const { root, call } = await toolsInFolder()
    const { text } = await call('bash', { command: 'sleep 100 & echo $! > child; echo done' })
    expect(text).toMatch(/^Exit code: 0\nOutput:\ndone\n\[something that it started goes on/)
    process.kill(Number(await written(join(root, 'child'))))
  })

  it('keeps beginning and end of a long output, the whole of it apart', async () => {
    const { call } = await toolsInFolder()
    const { text, full = '' } = await call('bash', { command: 'seq 1 20000' })
    expect(text.length).toBeLessThan(31_000)
    expect(text).toMatch(/^Exit code: 0\nOutput:\n1\n2\n/)
    expect(text).toMatch(/\n\[… [\d,]+ characters left out …\]\n/)
    expect(text.endsWith('\n20000')).toBe(true)
    expect(full).toBe(`Exit code: 0\nOutput:\n${Array.from({ length: 20_000 }, (_, at) => at + 1).join('\n')}`)
  })

  it('keeps memory flat while a gigabyte is printed', async () => {
    const { call } = await toolsInFolder()
    const before = process.memoryUsage().rss
    const { text, full = '' } = await call('bash', {
      command: 'head -c 1000000000 /dev/zero | tr "\\0" x; echo; echo end',
    })
    expect(text.endsWith('x\nend')).toBe(true)
    expect(full.length).toBeLessThan(2_200_000)
    expect(process.memoryUsage().rss - before).toBeLessThan(250 * 1024 * 1024)
  })

  it('passes on no secret of the environment', async () => {
    const env = { PATH: process.env.PATH, PLAIN: 'plain', ANTHROPIC_API_KEY: 'sk-hidden', GH_TOKEN: 'hidden' }
    const { call } = await toolsInFolder({ env })
    const { text } = await call('bash', { command: 'env' })
    expect(text).toContain('PLAIN=plain')
    expect(text).not.toContain('hidden')
    const names =
      'OPENAI_API_KEY AWS_ACCESS_KEY_ID AWS_SESSION_TOKEN AWS_BEARER_TOKEN_BEDROCK DB_PASSWORD GOOGLE_APPLICATION_CREDENTIALS APIKEY SECRET_KEY ANTHROPIC_AUTH_TOKEN OPENAI_KEY GITHUB_PAT CI_JOB_JWT PGPASSWORD MYSQL_PWD npm_config_//registry.example/:_authToken PALIMPSEST_STORE'
    const all = Object.fromEntries(
      [...names.split(' '), 'HOME', 'PWD', 'OLDPWD', 'PATH', 'SSH_AUTH_SOCK', 'AWS_REGION', 'TOKENIZERS', 'AUTHOR'].map(
        (name) => [name, 'x'],
      ),
    )
    expect(Object.keys(cleanEnvironment(all)).filter((name) => name in all)).toEqual([
      'HOME',
      'PWD',
      'OLDPWD',
      'PATH',
      'SSH_AUTH_SOCK',
      'AWS_REGION',
      'TOKENIZERS',
      'AUTHOR',
    ])
  })

  it('refuses what it cannot run, in words', async () => {
    const { call } = await toolsInFolder()
    expect((await call('bash', { command: 'ls', timeout_seconds: 601 })).text).toContain('timeout_seconds')
    expect((await call('bash', { command: '  ' })).text).toContain('command')
    expect((await call('bash', '{"command": "ls')).text).toContain('no valid JSON')
    expect(await call('bash', { command: 'echo a\0b' })).toMatchObject({
      failed: true,
      text: expect.stringContaining('NUL'),
    })
    const { call: nowhere } = await toolsInFolder({ root: '/no/such/folder' })
    expect(await nowhere('bash', { command: 'ls' })).toMatchObject({
      failed: true,
      text: expect.stringContaining('not there'),
    })
  })

  it('is read like a terminal: no codes, of overwritten lines the last state', async () => {
    const { root, call } = await toolsInFolder()
    await writeFile(join(root, 'out'), '\u001b[31mred\u001b[0m\r\n10%\r50%\r100%\r\nnul\0\n\ud83e\n')
    const { text } = await call('bash', { command: 'cat out' })
    expect(text).toBe('Exit code: 0\nOutput:\nred\n100%\nnul␀\n\ufffd')
  })
})

describe('an output in bounded memory', () => {
  it('is whole while it is short, whatever the pieces; of a long one head and tail are exact', () => {
    const buffer = new OutputBuffer()
    for (let at = 0; at < 400_000; at += 1) buffer.add(`${at % 10}${at % 1_000 === 0 ? '\n' : '-------'}`)
    const text = buffer.text()
    expect(text.length).toBeLessThan(2_100_000)
    const left = Number(/\[… ([\d,]+) characters left out …\]/.exec(text)?.[1]?.replaceAll(',', ''))
    expect(text.startsWith('0\n1-------2-------')).toBe(true)
    expect(text.endsWith('8-------9-------')).toBe(true)
    expect(left).toBeGreaterThan(1_000_000)
  })
})
