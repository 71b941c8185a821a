// `npm run demo`: an agent mends a small project, played by a simulated model in a window so small that the conversation is
// compacted on the way. There is a fault in the project on purpose, which the agent is asked to mend. In a terminal one can
// go on talking with it; elsewhere it tells in lines what happens.
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { prepare, root } from './prepare.mjs'
import { ended, startCommand } from './run-command.mjs'

const AGENT = ['--model', 'wirelab:demo', '--allow', 'all']

if (prepare()) await demo()
else process.exitCode = 1

async function demo() {
  const { DEMO_PROMPT } = await import('../packages/cli/dist/agent/demo-scenes.js')
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-demo-'))
  try {
    const project = join(folder, 'harbour-dues')
    cpSync(join(root, 'examples/demo'), project, { recursive: true })
    const home = join(folder, 'home')
    mkdirSync(home)
    const isWatched = process.stdin.isTTY === true && process.stdout.isTTY === true
    process.exitCode = await (isWatched ? talk : tell)(DEMO_PROMPT, { project, home })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** In the terminal, beginning with the prompt; the person goes on or leaves. */
async function talk(prompt, place) {
  const code = await ended(palimpsest([...AGENT, '--prompt', prompt], place, 'inherit'))
  console.log('The demo takes its project and session away again. npm run agent talks with a model of yours.')
  return code
}

/** Without a terminal: one turn, and a line for what happens. */
async function tell(prompt, place) {
  const words = ['run', ...AGENT, '--output', 'stream-json', prompt]
  const child = palimpsest(words, place, ['ignore', 'pipe', 'inherit'])
  const code = ended(child)
  console.log(`> ${prompt}\n`)
  for await (const line of createInterface({ input: child.stdout })) show(JSON.parse(line))
  return code
}

function show(event) {
  switch (event.type) {
    case 'step-ended':
      return console.log(`${event.text.trim()}\n`)
    case 'tool-call':
      return console.log(`  ${event.name} ${JSON.stringify(event.input).slice(0, 100)}`)
    case 'tool-result':
      return console.log(`  → ${event.brief ?? `${event.text.length} characters`}\n`)
    case 'compaction-started':
      return console.log(`  Compacting... (${event.reason}: ${event.tokens_before} tokens are in the window)`)
    case 'compaction-applied':
      return console.log(`  Compacted: ${event.tokens_after} tokens, ${event.evicted} messages left the window\n`)
    case 'result':
      return console.log(summary(event))
  }
}

function summary({ steps, usage, compactions }) {
  const sizes = compactions.map(({ before, after }) => `${before} → ${after} tokens`).join(', ')
  return `${steps} steps, ${usage.chat.input} tokens read, ${usage.chat.output} written; compacted: ${sizes}`
}

/** The command in the project, away from the user's own configuration, sessions and keys. */
function palimpsest(words, { project, home }, stdio) {
  const own = Object.entries(process.env).filter(
    ([name]) => !/^(PALIMPSEST_|XDG_|HOME$|USERPROFILE$|LOCALAPPDATA$)/.test(name),
  )
  const env = { ...Object.fromEntries(own), HOME: home, USERPROFILE: home, LOCALAPPDATA: home }
  return startCommand(words, { cwd: project, env, stdio })
}
