// The table of a run as a document, with the command that gives it again.
import { writeFileSync } from 'node:fs'

export function writeReport(file, rows, { window, steps, stepTokens }) {
  writeFileSync(file, `${report(rows, { window, steps, stepTokens })}\n`)
}

function report(rows, { window, steps, stepTokens }) {
  const times = Math.round((steps * stepTokens) / window)
  return [
    '# Real clients behind the proxy',
    '',
    `Four coding agents, as their makers publish them, ran ${steps} steps of a tool loop: about ${thousands(steps * stepTokens)} tokens of`,
    `results, ${times} times the window of ${thousands(window)} tokens that the endpoint has and the clients do not know of. Each ran`,
    'straight against the simulated provider, and through the proxy, which was told the window.',
    '',
    'Run it again (it installs the clients with npm, 1.3 GB; everything else is offline, and no key is needed):',
    '',
    '```sh',
    `node scripts/real-clients/run.mjs --steps ${steps} --window ${window} --write docs/real-clients.md`,
    '```',
    '',
    `Result of ${new Date().toISOString().slice(0, 10)}, Node ${process.version}, ${process.platform} ${process.arch}:`,
    '',
    ...table(rows),
    '',
    '*Refused*: calls for an answer that the provider refused, whether the client saw the refusal or not. *Steps*: commands',
    'that really ran, each once. A run is *finished* when all of them ran and the client showed the last words of the model.',
    '',
    'Who finishes directly although calls were refused has a compaction of its own, and runs it after every refusal: the window',
    'that the client believes in is not the one that there is.',
    '',
    ...failures(rows),
    '## What the simulator does, and what it does not show',
    '',
    '- Every call is checked by the rules of its API; a prompt above the window is refused in the provider’s own words. An output',
    '  cap that does not fit behind the input is no reason for a refusal, as with current APIs.',
    '- The model is a script: it calls the client’s own shell tool with the next command, and answers calls for summaries with a',
    '  fixed text, both the proxy’s and the client’s own. So the table shows that loops go on, not how well a model works from',
    '  what is left in view.',
    '- The clients run as they are set by default, without a person: `codex exec`, `claude -p`, `gemini -p`, `opencode run`. Their',
    '  homes are empty folders; updates, telemetry and other traffic are switched off by their own settings, and every other way',
    '  out leads to a closed port.',
  ].join('\n')
}

function table(rows) {
  const head = ['client', 'direct', 'refused', 'steps', 'through the proxy', 'refused', 'steps', 'compactions']
  const lines = rows.map(({ client, direct, proxy }) => [
    client.label,
    direct.result,
    direct.refused,
    direct.steps,
    proxy.result,
    proxy.refused,
    proxy.steps,
    proxy.compactions,
  ])
  const ruler = ['---', '---', '--:', '--:', '---', '--:', '--:', '--:']
  return [head, ruler, ...lines].map((cells) => `| ${cells.join(' | ')} |`)
}

/** What clients said when they gave up. */
function failures(rows) {
  const said = rows.flatMap(({ client, direct, proxy }) =>
    [
      ['direct', direct],
      ['through the proxy', proxy],
    ].flatMap(([way, { finished, said: words }]) =>
      finished ? [] : [`- ${client.label}, ${way}: \`${lastLine(words)}\``],
    ),
  )
  return said.length === 0 ? [] : ['The last that was said by those that did not finish:', '', ...said, '']
}

function lastLine(text) {
  const lines = text.split('\n').map((line) => line.replaceAll('`', "'").trim())
  return (lines.find((line) => /error|room|too long|exceeds|context/i.test(line)) ?? lines.at(-1) ?? '').slice(0, 160)
}

function thousands(number) {
  return String(number).replace(/\B(?=(\d{3})+$)/g, ',')
}
