// Examples of the API reference as whole programs. An example shows a use, not its imports: what the entry point exports
// and a few values that readers have at hand are taken as given.
import ts from 'typescript'

/** The program that an example stands for. `points`: every entry point with its exports, the example's own first. */
export function exampleProgram(example, points) {
  const code = example.replace(/'(?:[^'\\\n]|\\.)*'|\/\/[^\n]*/g, `''`)
  const own = namesDeclaredIn(code)
  const free = [...new Set(code.match(/(?<![\w$])(?<!(?<!\.\.)\.)[A-Za-z_$][\w$]*/g))].filter((name) => !own.has(name))
  const imports = free.flatMap((name) => importOf(name, points) ?? [])
  const values = free.flatMap((name) => (isExported(name, points[0]) ? [] : (given[name] ?? [])))
  return [...imports, ...values, example, 'export {}'].join('\n')
}

/**
 * What an example says that it gives, and what it gives: of those that end in `expression // value`, and need nothing but
 * what they import.
 */
export async function givenBy(example, points, load) {
  const [, before, expression, told] = /^([\s\S]*?)(?:\n|^)(.*) \/\/ (.*)$/.exec(example) ?? []
  if (told === undefined || !isExpression(told)) return undefined
  const program = exampleProgram(`${before}\nexport default [${expression}, ${told}]`, points)
  if (program.includes('declare const')) return undefined
  const { code, names } = asFunctionBody(program)
  const values = await Promise.all([...names].map(async ([name, from]) => (await load(from))[name]))
  return new AsyncFunction(...names.keys(), code)(...values)
}

const AsyncFunction = (async () => {}).constructor

function isExpression(text) {
  try {
    return new Function(`return [${text}]`) !== undefined
  } catch {
    return false
  }
}

/** A program of imports and one default export as what a function does that gets what is imported. */
function asFunctionBody(program) {
  const names = new Map(
    [...program.matchAll(/^import \{ (\w+) \} from '(.+)'$/gm)].map(([, name, from]) => [name, from]),
  )
  const own = program.replace(/^import .*$|^export \{\}$/gm, '').replace('export default ', 'return ')
  const options = { compilerOptions: { target: ts.ScriptTarget.ES2023 } }
  const { outputText } = ts.transpileModule(`const run = async () => {${own}}`, options)
  return { names, code: `${outputText}\nreturn run()` }
}

function namesDeclaredIn(code) {
  const declared = code.matchAll(/\b(?:const|let|function|class|import)\s+(?:[{[]([^}\]]*)[}\]]|([\w$]+))/g)
  return new Set([...declared].flatMap(([, several = '', one = '']) => [...several.split(/[,:\s]+/), one]))
}

function importOf(name, [own, ...others]) {
  if (name in given && !isExported(name, own)) return undefined
  if (name in foreign) return foreign[name]
  const point = [own, ...others].find((one) => isExported(name, one))
  if (point === undefined) return undefined
  const { isType } = point.exports.find((one) => one.name === name)
  return `import ${isType ? 'type ' : ''}{ ${name} } from '${point.name}'`
}

function isExported(name, point) {
  return point.exports.some((one) => one.name === name)
}

const foreign = {
  Anthropic: `import Anthropic from '@anthropic-ai/sdk'`,
  NodeTracerProvider: `import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node'`,
  OpenAI: `import OpenAI from 'openai'`,
  HumanMessage: `import { HumanMessage } from '@langchain/core/messages'`,
  ToolLoopAgent: `import { ToolLoopAgent } from 'ai'`,
  anthropic: `import { anthropic } from '@ai-sdk/anthropic'`,
  openai: `import { openai } from '@ai-sdk/openai'`,
  createAgent: `import { createAgent } from 'langchain'`,
  createDeepAgent: `import { createDeepAgent } from 'deepagents'`,
  createReadStream: `import { createReadStream } from 'node:fs'`,
  generateText: `import { generateText } from 'ai'`,
  gzipSync: `import { gzipSync } from 'node:zlib'`,
  homedir: `import { homedir } from 'node:os'`,
  join: `import { join } from 'node:path'`,
  stepCountIs: `import { stepCountIs } from 'ai'`,
  wrapLanguageModel: `import { wrapLanguageModel } from 'ai'`,
  z: `import { z } from 'zod'`,
}

/** What the examples take as given, and of which type. */
const given = Object.fromEntries(
  Object.entries({
    agent: `import('@palimpsest/agent').Agent`,
    answer: '(view: readonly object[]) => Promise<object>',
    body: `import('palimpsest').AnthropicRequest`,
    call: `import('palimpsest/ai-sdk').ModelCall`,
    compactor: `import('palimpsest').Compactor<import('palimpsest/ai-sdk').ModelCall>`,
    config: `import('@palimpsest/agent').AgentConfig`,
    conversation: `import('palimpsest').Conversation<import('palimpsest').AnthropicMessage>`,
    cwd: 'string',
    dialect: `import('palimpsest').Dialect<unknown, object>`,
    draft: `import('palimpsest/engine').Draft`,
    entries: `readonly import('@palimpsest/sessions').SessionEntry[]`,
    env: 'NodeJS.ProcessEnv',
    estimate: '(text: string) => number',
    exporting: `import('@opentelemetry/sdk-trace-base').SpanProcessor`,
    folder: 'string',
    generate: `import('palimpsest').Generate`,
    groups: `readonly import('palimpsest/engine').MessageGroup[]`,
    head: `import('@palimpsest/sessions').EntryPlace`,
    headers: 'Headers',
    history: `import('palimpsest').ReadableHistory`,
    home: 'string',
    imported: `import('@palimpsest/sessions').ImportedSession`,
    items: 'object[]',
    ledger: `import('palimpsest').Ledger`,
    model: `import('palimpsest/ai-sdk').LanguageModel`,
    openModel: `import('@palimpsest/agent').OpenModel`,
    ownTools: 'Record<never, never>',
    plan: `import('palimpsest').Plan`,
    prompt: 'any',
    record: `import('palimpsest').CompactionRecord`,
    recorded: `import('palimpsest').RecordedSession<import('palimpsest').AnthropicMessage>`,
    request: `import('palimpsest/engine').SummaryRequest`,
    screen: '{ clear(): void; write(text: string): void }',
    send: '(request: unknown) => Promise<unknown>',
    session: `import('@palimpsest/sessions').ExportedSession`,
    sessions: `import('@palimpsest/sessions').SessionStore`,
    setup: `import('@palimpsest/agent').AgentSetup`,
    signal: 'AbortSignal',
    slices: `import('palimpsest').SummaryInput['slices']`,
    store: `import('@palimpsest/sessions').SessionStore`,
    stores: `import('palimpsest').Stores`,
    task: `import('palimpsest/engine').CompactionTask<import('palimpsest').AnthropicMessage>`,
    tools: 'any',
    transcript: `import('palimpsest').Transcript<import('palimpsest').AnthropicMessage>`,
    url: 'string',
  }).map(([name, type]) => [name, `declare const ${name}: ${type}`]),
)
