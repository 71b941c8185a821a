// The invented project that the example session works on: a small bookkeeping service, one set of files per thing.

const things = [
  ['account', ['code:string', 'name:string', 'kind:AccountKind', 'currency:string', 'closedAt:Date?']],
  ['posting', ['accountId:string', 'entryId:string', 'amountMinor:bigint', 'currency:string', 'memo:string?']],
  ['journal-entry', ['periodId:string', 'reference:string', 'postedAt:Date', 'reversedBy:string?']],
  ['exchange-rate', ['base:string', 'quote:string', 'rateMicros:bigint', 'source:string', 'validFrom:Date']],
  ['period', ['label:string', 'startsOn:Date', 'endsOn:Date', 'lockedAt:Date?']],
  ['statement', ['accountId:string', 'periodId:string', 'openingMinor:bigint', 'closingMinor:bigint']],
  ['counterparty', ['legalName:string', 'country:string', 'vatNumber:string?', 'riskClass:RiskClass']],
  ['tax-code', ['code:string', 'rateBasisPoints:number', 'appliesFrom:Date', 'appliesTo:Date?']],
  ['reconciliation', ['statementId:string', 'externalRef:string', 'differenceMinor:bigint', 'resolvedAt:Date?']],
  ['balance-snapshot', ['accountId:string', 'takenAt:Date', 'balanceMinor:bigint', 'sequence:number']],
  ['idempotency-key', ['scope:string', 'digest:string', 'responseStatus:number', 'expiresAt:Date']],
  ['audit-event', ['actor:string', 'action:string', 'subjectId:string', 'before:unknown?', 'after:unknown?']],
]

// Every thing has these as well.
const shared = ['externalId:string?', 'createdBy:string']

/** Path → text of every file. */
export function ledgerProject(random) {
  const files = new Map([
    ['package.json', packageJson()],
    ['src/config.ts', configuration()],
    ['docs/decisions/0004-money-is-integer.md', decision()],
  ])
  things.forEach(([name, fields], at) => {
    const thing = {
      name,
      type: pascal(name),
      table: `${name.replaceAll('-', '_')}s`,
      fields: [...fields, ...shared].map(parseField),
    }
    files.set(`src/domain/${name}.ts`, domain(thing, random))
    files.set(`src/store/${name}-store.ts`, store(thing, random))
    files.set(`src/service/${name}-service.ts`, service(thing, random))
    files.set(`src/http/${name}-routes.ts`, routes(thing, random))
    files.set(`test/${name}.test.ts`, tests(thing, random))
    files.set(`db/migrations/${String(at + 1).padStart(4, '0')}_${thing.table}.sql`, migration(thing, random))
  })
  return files
}

function parseField(text) {
  const [name, type] = text.split(':')
  return { name, type: type.replace('?', ''), optional: type.endsWith('?'), column: snake(name) }
}

function pascal(name) {
  return name.replace(/(^|-)(.)/g, (_, _dash, letter) => letter.toUpperCase())
}

function snake(name) {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

function packageJson() {
  const scripts = { build: 'tsc', test: 'node --test', lint: 'biome check .', start: 'node dist/main.js' }
  return `${JSON.stringify({ name: 'ledger-service', version: '0.9.4', type: 'module', scripts }, undefined, 2)}\n`
}

function configuration() {
  return `export const config = {
  port: Number(process.env.LEDGER_PORT ?? 8443),
  database: process.env.LEDGER_DATABASE ?? 'postgres://localhost/ledger',
  statementTimeoutMs: 5_000,
  rounding: 'half-up' as 'half-up' | 'half-even',
  reportingCurrency: 'EUR',
  maxEntriesPerRequest: 500,
}
`
}

function decision() {
  return `# 4. Money is an integer

Amounts are kept in minor units as bigint. A rate is kept in millionths. A converted amount is rounded once, at the end,
and the rest goes to account 9990 (rounding differences). Floating point appears nowhere between request and database.

Consequences: JSON carries amounts as strings; a currency with three decimals (KWD, BHD) needs its own exponent.
`
}

function domain({ name, type, fields }, random) {
  const code = name.replaceAll('-', '_').toUpperCase()
  const rules = fields.map((field) => {
    const limit = random.integer(12, 240)
    if (field.type === 'string') return stringRule(field, code, limit)
    if (field.type === 'bigint') return bigintRule(field, code, random.integer(10, 15))
    return `  if (!${field.optional ? `isAbsent(draft.${field.name}) && !` : ''}isValid('${field.type}', draft.${field.name})) {
    problems.push({ code: '${code}_${snake(field.name).toUpperCase()}_INVALID', field: '${field.name}' })
  }`
  })
  return `import { type Problem, isAbsent, isValid } from './problem.js'

export interface ${type} {
  readonly id: string
${fields.map((field) => `  readonly ${field.name}${field.optional ? '?' : ''}: ${field.type}`).join('\n')}
  readonly version: number
}

export type ${type}Draft = Omit<${type}, 'id' | 'version'>

/** Every rule that the draft breaks; an empty list means that it may be stored. */
export function check${type}(draft: ${type}Draft): Problem[] {
  const problems: Problem[] = []
${rules.join('\n')}
  return problems
}

/** A new ${name} with the changes, one version on. Throws where the other side holds a newer version. */
export function revise${type}(current: ${type}, changes: Partial<${type}Draft>, expected: number): ${type} {
  if (current.version !== expected) {
    throw new ConflictError('${code}_STALE', { id: current.id, expected, found: current.version })
  }
  return { ...current, ...changes, version: current.version + 1 }
}
`
}

function stringRule(field, code, limit) {
  const guard = field.optional ? `draft.${field.name} !== undefined && ` : ''
  return `  if (${guard}(draft.${field.name}.length === 0 || draft.${field.name}.length > ${limit})) {
    problems.push({ code: '${code}_${snake(field.name).toUpperCase()}_LENGTH', field: '${field.name}', limit: ${limit} })
  }`
}

function bigintRule(field, code, digits) {
  return `  if (draft.${field.name} > 10n ** ${digits}n || draft.${field.name} < -(10n ** ${digits}n)) {
    problems.push({ code: '${code}_${snake(field.name).toUpperCase()}_RANGE', field: '${field.name}', digits: ${digits} })
  }`
}

function store({ name, type, table, fields }, random) {
  const columns = ['id', ...fields.map((field) => field.column), 'version']
  const places = columns.map((_, at) => `$${at + 1}`).join(', ')
  const finders = fields.slice(0, 3).map((field) => {
    const limit = random.pick([50, 100, 200, 500])
    return `
/** Newest first, at most ${limit}. */
export async function find${type}sBy${pascal(snake(field.name).replaceAll('_', '-'))}(client: Client, value: ${field.type}): Promise<${type}[]> {
  const result = await client.query<${type}Row>(
    'SELECT ${columns.join(', ')} FROM ${table} WHERE ${field.column} = $1 ORDER BY created_at DESC LIMIT ${limit}',
    [value],
  )
  return result.rows.map(from${type}Row)
}`
  })
  return `import type { Client } from './client.js'
import type { ${type} } from '../domain/${name}.js'

interface ${type}Row {
  id: string
${fields.map((field) => `  ${field.column}: ${field.type === 'bigint' ? 'string' : field.type}${field.optional ? ' | null' : ''}`).join('\n')}
  version: number
}

export async function insert${type}(client: Client, value: ${type}): Promise<void> {
  await client.query(
    'INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places})',
    [value.id, ${fields.map((field) => `value.${field.name}${field.optional ? ' ?? null' : ''}`).join(', ')}, value.version],
  )
}

export async function update${type}(client: Client, value: ${type}): Promise<boolean> {
  const result = await client.query(
    'UPDATE ${table} SET ${fields.map((field, at) => `${field.column} = $${at + 3}`).join(', ')}, version = $2 WHERE id = $1 AND version = $2 - 1',
    [value.id, value.version, ${fields.map((field) => `value.${field.name}${field.optional ? ' ?? null' : ''}`).join(', ')}],
  )
  return result.rowCount === 1
}
${finders.join('\n')}

function from${type}Row(row: ${type}Row): ${type} {
  return {
    id: row.id,
${fields.map((field) => `    ${field.name}: ${field.type === 'bigint' ? `BigInt(row.${field.column})` : `row.${field.column}`}${field.optional ? ' ?? undefined' : ''},`).join('\n')}
    version: row.version,
  }
}
`
}

function service({ name, type }, random) {
  const retries = random.integer(2, 5)
  const verbs = ['create', 'revise', 'archive', 'restore', 'import']
  const functions = verbs.map((verb) => {
    const budget = random.pick([250, 400, 800, 1_200])
    return `
/** ${pascal(verb)}s within ${budget} ms; the audit event is written in the same transaction. */
export async function ${verb}${type}(context: Context, input: ${type}Draft & { id?: string; expected?: number }): Promise<${type}> {
  const problems = check${type}(input)
  if (problems.length > 0) throw new ValidationError('${verb} ${name}', problems)
  return context.transaction({ retries: ${retries}, budgetMs: ${budget} }, async (client) => {
    const before = input.id === undefined ? undefined : await load${type}(client, input.id)
    const after = before === undefined ? { ...input, id: context.newId(), version: 1 } : revise${type}(before, input, input.expected ?? before.version)
    await (before === undefined ? insert${type}(client, after) : update${type}(client, after))
    await recordAudit(client, { actor: context.actor, action: '${name}.${verb}', subjectId: after.id, before, after })
    context.log.info({ ${name.replaceAll('-', '')}: after.id, version: after.version }, '${name} ${verb}d')
    return after
  })
}`
  })
  return `import { check${type}, revise${type}, type ${type}, type ${type}Draft } from '../domain/${name}.js'
import { insert${type}, update${type} } from '../store/${name}-store.js'
import { recordAudit } from './audit.js'
import type { Context } from './context.js'
import { ValidationError } from './errors.js'
${functions.join('\n')}
`
}

function routes({ name, type }, random) {
  const paths = ['', '/:id', '/:id/history', '/search', '/import']
  const handlers = paths.map((path, at) => {
    const method = ['post', 'get', 'get', 'get', 'put'][at]
    const limit = random.integer(20, 400)
    return `
  app.${method}('/v1/${name}s${path}', { rateLimit: ${limit}, scope: '${name}:${method === 'get' ? 'read' : 'write'}' }, async (request, reply) => {
    const started = performance.now()
    const input = parse${type}Request(request.body ?? request.query)
    const result = await handle${type}(request.context, '${method}', input)
    reply.header('x-ledger-took', String(Math.round(performance.now() - started)))
    return reply.status(${method === 'post' ? 201 : 200}).send(serialise${type}(result))
  })`
  })
  return `import type { App } from './app.js'
import { handle${type} } from './${name}-handler.js'
import { parse${type}Request, serialise${type} } from './${name}-json.js'

export function register${type}Routes(app: App): void {${handlers.join('\n')}
}
`
}

const adjectives = [
  'northern',
  'quarterly',
  'reversed',
  'pending',
  'external',
  'monthly',
  'draft',
  'overdue',
  'partial',
]
const nouns = ['invoice', 'transfer', 'refund', 'opening', 'warehouse', 'supplier', 'payroll', 'deposit', 'branch']

function tests({ name, type, fields }, random) {
  const cases = fields.flatMap((field) => [
    ['is refused when', field, 'rejects'],
    ['survives a round trip with', field, 'strictEqual'],
  ])
  const bodies = cases.map(([phrase, field, assertion]) => {
    const value =
      field.type === 'bigint'
        ? `${random.integer(1_000, 9_999_999)}n`
        : `'${random.pick(adjectives)} ${random.pick(nouns)} ${random.integer(2, 99)}'`
    return `
  test('${phrase} ${field.name}', async () => {
    const draft = a${type}({ ${field.name}: ${value} })
    const context = testContext({ actor: 'tester-${random.hex(6)}', now: ${random.integer(1_767_000_000, 1_769_999_999)} })
    const result = create${type}(context, draft)
    await assert.${assertion}(${assertion === 'rejects' ? `result, { code: '${name.replaceAll('-', '_').toUpperCase()}_${snake(field.name).toUpperCase()}_INVALID' }` : `(await result).${field.name}, ${value}`})
  })`
  })
  return `import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { create${type} } from '../src/service/${name}-service.js'
import { a${type} } from './builders.js'
import { testContext } from './test-context.js'

describe('${name}', () => {${bodies.join('\n')}
})
`
}

const columnTypes = { bigint: 'NUMERIC(20, 0)', number: 'INTEGER', Date: 'TIMESTAMPTZ', unknown: 'JSONB' }

function migration({ table, fields }, random) {
  const columns = fields.map(
    (field) => `  ${field.column} ${columnTypes[field.type] ?? 'TEXT'}${field.optional ? '' : ' NOT NULL'},`,
  )
  return `-- applied in production 2025-0${random.integer(1, 9)}-${random.integer(10, 28)}; never edit an applied migration
CREATE TABLE ${table} (
  id UUID PRIMARY KEY,
${columns.join('\n')}
  version INTEGER NOT NULL DEFAULT 1,
  created_at TIMESTAMPTZ NOT NULL DEFAULT now()
);
CREATE INDEX ${table}_${fields[0].column}_${random.hex(4)} ON ${table} (${fields[0].column});
`
}
