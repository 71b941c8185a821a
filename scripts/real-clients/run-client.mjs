// One client, one run: straight against the simulator, or through the proxy.
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startWirelab } from '../../packages/wirelab/dist/index.js'
import { root } from '../prepare.mjs'
import { clientLoop, FINAL, prepareParts, stepsDone, WORDS } from './tool-loop.mjs'

/** Milliseconds after which a client that does not end is ended. */
const DEADLINE_MS = 15 * 60_000

/**
 * Runs a client in a home and a folder of its own. Gives how it ended, how many model calls the provider refused, how many
 * steps really ran, and how often the proxy compacted.
 */
export async function runClient(client, { program, way, steps, window, stepTokens }) {
  const folder = mkdtempSync(join(tmpdir(), 'real-client-'))
  const [home, work] = ['home', 'work'].map((name) => join(folder, name))
  for (const path of [home, work]) mkdirSync(path)
  prepareParts(work, stepTokens)
  client.home(home)
  // current APIs take an output cap that does not fit behind the input, and stop at the window instead
  const lab = await startWirelab({ window, script: clientLoop(client, steps), sumsOutput: false })
  const proxy = way === 'proxy' ? await startProxy(lab.url, window) : undefined
  try {
    const url = proxy?.url ?? lab.url
    const command = client.command(program, { url, words: WORDS })
    const ended = await run(command, { cwd: work, env: environment(home, client.env({ url })) })
    const done = stepsDone(work)
    const finished = done === steps && ended.output.includes(FINAL)
    return {
      result: finished ? 'finished' : ended.late ? 'ended by the deadline' : `gave up (exit ${ended.code})`,
      finished,
      refused: lab.calls.filter(({ kind, outcome }) => kind === 'generate' && outcome === 'refused').length,
      steps: done,
      seconds: ended.seconds,
      calls: lab.calls.length,
      ...(finished ? {} : { refusals: refusalsOf(lab), said: ended.output.trim().slice(-300) }),
      ...(proxy !== undefined && { compactions: await proxy.compactions() }),
    }
  } finally {
    await proxy?.stop()
    await lab.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

function refusalsOf({ calls }) {
  return calls.filter(({ outcome }) => outcome === 'refused').map(({ reason, tokens }) => `${reason} ${tokens}`)
}

/** Nothing of this machine's own settings and keys, and no way out but to this machine. */
function environment(home, own) {
  const nowhere = 'http://127.0.0.1:9'
  return {
    PATH: process.env.PATH,
    HOME: home,
    USERPROFILE: home,
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    CI: '1',
    HTTP_PROXY: nowhere,
    HTTPS_PROXY: nowhere,
    NO_PROXY: '127.0.0.1,localhost',
    DO_NOT_TRACK: '1',
    ...own,
  }
}

function run([program, ...words], options) {
  const begun = performance.now()
  const child = spawn(program, words, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  let late = false
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (piece) => {
      output += piece
    })
  }
  const timer = setTimeout(() => {
    late = true
    child.kill('SIGKILL')
  }, DEADLINE_MS)
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => {
      clearTimeout(timer)
      resolve({ code, output, late, seconds: Math.round((performance.now() - begun) / 1_000) })
    })
  })
}

/** The proxy as users start it, in front of this upstream. */
async function startProxy(upstream, window) {
  const words = ['proxy', '--upstream', upstream, '--window', String(window), '--port', '0', '--log', 'off']
  const child = spawn(process.execPath, [join(root, 'packages/cli/bin/palimpsest.js'), ...words], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const ended = new Promise((resolve) => {
    child.on('close', resolve)
  })
  const url = await new Promise((resolve, reject) => {
    let said = ''
    child.stderr.on('data', (piece) => {
      said += piece
      const found = /on (http:\S+),/.exec(said)
      if (found !== null) resolve(found[1])
    })
    child.on('close', () => reject(new Error(`The proxy did not start: ${said}`)))
  })
  return {
    url,
    async compactions() {
      const text = await (await fetch(`${url}/metrics`)).text()
      const counts = [...text.matchAll(/^palimpsest_compactions_total\{.*\} (\d+)$/gm)].map(([, count]) =>
        Number(count),
      )
      return counts.reduce((sum, count) => sum + count, 0)
    },
    stop() {
      child.kill('SIGTERM')
      return ended
    },
  }
}
