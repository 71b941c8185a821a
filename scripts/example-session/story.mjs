// What happens in the example session: seven turns of one afternoon, with errors, a correction and parallel calls.

const names = ['account', 'posting', 'journal-entry', 'exchange-rate', 'period', 'statement']
const later = ['counterparty', 'tax-code', 'reconciliation', 'balance-snapshot', 'idempotency-key', 'audit-event']
const pascal = (name) => name.replace(/(^|-)(.)/g, (_, _dash, letter) => letter.toUpperCase())

/** Turns of the session: the person's words, then steps. A step has thinking, text and calls, each optional. */
export function* story(bench) {
  yield turn(
    'Add multi-currency journal entries to the ledger service. Rules that hold for the whole work: the service listens on port 8443 and that must not change; never edit a migration that is already applied, write a new one; amounts stay bigint in minor units. Start by reading how entries and postings work today.',
    explore(bench, names),
    'I know the ground now. An entry balances per currency today; what is missing is a rate per entry, a converted amount per posting, and the rounding difference on account 9990. I will write migration 0013 and change the posting service next.',
  )
  yield turn(
    'Good. Go on with the migration and the domain, tests first.',
    multiCurrency(bench),
    'Migration 0013, the conversion and its tests are in. One test of the statement still fails: KWD has three decimals and the exponent table knows two.',
  )
  yield turn(
    'Two corrections. Rounding must be half-even, not half-up: finance asked for it in ticket LEDG-2291. And KWD and BHD need exponent 3.',
    rounding(bench),
    'Rounding is half-even everywhere, with LEDG-2291 named where it is decided, and the exponents of KWD and BHD are 3. All tests pass.',
  )
  yield turn(
    [
      {
        type: 'text',
        text: '<system-reminder>The todo list has four open items. Do not mention this reminder to the user.</system-reminder>',
      },
      {
        type: 'text',
        text: 'The staging log shows serialization failures when two imports run at once. Find out why.',
      },
    ],
    staging(bench),
    'Both imports read the same balance snapshot and write the next sequence number. The second one fails with 40001 and our retry loop used the snapshot of the first attempt. It now reads inside the retried transaction.',
  )
  yield turn(
    'Now carry the currency through the other services: counterparty, tax code, reconciliation, snapshots, idempotency and audit. Same rules as before.',
    sweep(bench, later),
    'All six carry the currency. Reconciliation compares in the currency of the statement and not of the report.',
  )
  yield turn(
    'Port 9443 for the admin listener is fine, but 8443 stays for the API. Write the admin listener and show me the effective configuration.',
    admin(bench),
    'The admin listener is on 9443 and the API stays on 8443. Configuration and health check show both.',
  )
  yield turn(
    'Last thing: read everything that touches rates once more and check that nothing rounds twice. Then run all tests.',
    review(bench, [...names, ...later]),
    'Nothing rounds twice: conversion rounds once in convert.ts, statements add converted amounts, and the rest goes to account 9990. 108 tests, none failing. Open: the runbook for rate imports, and the index on rate_micros that LEDG-2304 asks for.',
  )
}

function turn(user, steps, closing) {
  return { user, steps: [...steps], closing }
}

const step = (calls, words = {}) => ({ calls, ...words })

function* explore(bench, list) {
  yield step(
    [
      bench.bash(
        'git log --oneline -5 && ls',
        'Show recent commits and files',
        'f3a91c2 Lock periods\n0b7d4e8 Statement export\n91ce55a Rates from the central bank\npackage.json  src  test  db  docs',
      ),
    ],
    {
      thinking:
        'Entries, postings and rates come first. I should look at the decision on integer money before I touch anything.',
      text: 'I will read the decision record, then the files of each thing.',
    },
  )
  yield step([
    bench.read('docs/decisions/0004-money-is-integer.md'),
    bench.read('src/config.ts'),
    bench.read('package.json'),
  ])
  yield step([bench.read('src/domain/money.ts')], { text: 'There should be a money module.' })
  yield step([bench.grep('amountMinor|rateMicros', 'src/')])
  for (const name of list) {
    yield step([bench.read(`src/domain/${name}.ts`), bench.read(`src/store/${name}-store.ts`)], {
      thinking: `How does ${name} keep its amounts, and who checks them?`,
    })
    yield step([bench.read(`src/service/${name}-service.ts`)])
    yield step([bench.read(`src/http/${name}-routes.ts`), bench.read(`test/${name}.test.ts`)])
  }
  yield step([
    bench.todos([
      ['Migration 0013: rate per entry', 'pending'],
      ['Convert postings', 'pending'],
      ['Rounding difference to account 9990', 'pending'],
      ['Tests', 'pending'],
    ]),
  ])
}

function* multiCurrency(bench) {
  yield step([bench.write('test/convert.test.ts', convertTest)], {
    thinking: 'Tests first. The smallest useful one converts EUR to USD and checks where the rest goes.',
  })
  yield step([
    bench.bash(
      'npm test -- test/convert.test.ts',
      'Run the new test',
      "Error: Cannot find module '../src/domain/convert.js'\nexit code 1",
      true,
    ),
  ])
  yield step([
    bench.write('src/domain/convert.ts', convertSource),
    bench.write('db/migrations/0013_entry_rates.sql', migration13),
  ])
  yield step(
    [
      bench.edit(
        'db/migrations/0003_journal_entrys.sql',
        'reference TEXT NOT NULL',
        'reference TEXT NOT NULL, rate_micros NUMERIC(20, 0)',
      ),
    ],
    { text: 'The entry table needs the column.' },
  )
  yield step(
    [
      bench.bash(
        'git checkout db/migrations/0003_journal_entrys.sql',
        'Undo the edit of an applied migration',
        'Updated 1 path from the index',
      ),
    ],
    {
      thinking:
        'That was wrong: 0003 is applied, and the user said that applied migrations are never edited. The column is in 0013 already.',
      text: 'I undo that: 0003 is applied and must stay as it is. The column belongs in 0013.',
    },
  )
  for (const name of ['posting', 'journal-entry', 'statement']) {
    yield step([
      bench.edit(
        `src/service/${name}-service.ts`,
        `const problems = check${pascal(name)}(input)`,
        `const problems = [...check${pascal(name)}(input), ...checkRate(input)]`,
      ),
    ])
    yield step([bench.read(`src/service/${name}-service.ts`)])
  }
  yield step([bench.bash('npm test', 'Run all tests', bench.testRun([['statement', '12.345 KWD', '12.35 KWD']]), true)])
  yield step([bench.read('test/statement.test.ts'), bench.grep('exponent|decimals', 'src/')])
}

function* rounding(bench) {
  yield step([bench.grep('half-up|rounding', 'src/'), bench.read('src/config.ts')], {
    thinking: 'Half-even to the ticket LEDG-2291. The default lives in config.ts and convert.ts assumes it.',
  })
  yield step([
    bench.edit('src/config.ts', "rounding: 'half-up' as", "rounding: 'half-even' as"),
    bench.edit(
      'src/domain/convert.ts',
      'const half = denominator / 2n',
      '// LEDG-2291: ties go to the even neighbour\n  const half = denominator / 2n',
    ),
  ])
  yield step([
    bench.edit(
      'src/domain/convert.ts',
      'export const exponents: Record<string, number> = { JPY: 0 }',
      'export const exponents: Record<string, number> = { JPY: 0, KWD: 3, BHD: 3 }',
    ),
  ])
  yield step([bench.bash('npm test', 'Run all tests', bench.testRun([['convert', '2n', '3n']]), true)])
  yield step([
    bench.edit(
      'src/domain/convert.ts',
      'remainder >= half',
      'remainder > half || (remainder === half && quotient % 2n === 1n)',
    ),
  ])
  yield step([bench.bash('npm test', 'Run all tests again', bench.testRun([]))])
  yield step([
    bench.todos([
      ['Migration 0013: rate per entry', 'completed'],
      ['Convert postings', 'completed'],
      ['Rounding difference to account 9990', 'in_progress'],
      ['Tests', 'completed'],
    ]),
  ])
}

function* staging(bench) {
  yield step(
    [bench.bash('kubectl logs deploy/ledger --since=1h | tail -n 320', 'Read the staging log', bench.serviceLog(320))],
    { thinking: 'Serialization failures are SQLSTATE 40001. Which statement, and does the retry re-read?' },
  )
  yield step([
    bench.bash(
      "psql ledger -c 'select id, currency, balance_minor, period from latest_snapshots'",
      'Look at the newest snapshots',
      bench.rows(170),
    ),
  ])
  yield step([bench.read('src/service/balance-snapshot-service.ts'), bench.read('src/store/balance-snapshot-store.ts')])
  yield step([
    bench.bash(
      'kubectl logs deploy/ledger --since=10m | grep 40001',
      'Only the failures',
      'ERROR: could not serialize access due to concurrent update (SQLSTATE 40001)\n  statement: UPDATE balance_snapshots SET sequence = $6\n  attempt 3 of 3, request 5d0e7f6a-91b2-4c0d-a3f4-2f6b8c1d9e70',
    ),
  ])
  yield step([
    bench.edit(
      'src/service/balance-snapshot-service.ts',
      'const before = input.id === undefined ? undefined : await loadBalanceSnapshot(client, input.id)',
      '// read inside the transaction that is retried: attempt two must not see the snapshot of attempt one\n    const before = input.id === undefined ? undefined : await loadBalanceSnapshot(client, input.id, { lock: true })',
    ),
  ])
  yield step([bench.bash('npm run import:twice -- --entries 400', 'Two imports at once', bench.serviceLog(120))])
}

function* sweep(bench, list) {
  for (const name of list) {
    yield step(
      [
        bench.read(`src/domain/${name}.ts`),
        bench.read(`src/service/${name}-service.ts`),
        bench.read(`src/store/${name}-store.ts`),
      ],
      { thinking: `${name}: does it keep an amount, and in which currency?` },
    )
    yield step([
      bench.edit(
        `src/domain/${name}.ts`,
        '  readonly version: number',
        '  readonly currency: string\n  readonly version: number',
      ),
    ])
    yield step([bench.read(`test/${name}.test.ts`), bench.read(`src/http/${name}-routes.ts`)])
    yield step([
      bench.edit(
        `src/service/${name}-service.ts`,
        `const problems = check${pascal(name)}(input)`,
        `const problems = [...check${pascal(name)}(input), ...checkCurrency(input.currency)]`,
      ),
    ])
    yield step([
      bench.bash(`node --test test/${name}.test.ts`, `Test ${name}`, `✔ ${name} (${name.length * 7}ms)\nexit code 0`),
    ])
  }
  yield step([bench.bash('npm test', 'Run all tests', bench.testRun([['reconciliation', '0n', '-3n']]), true)])
  yield step([bench.grep('differenceMinor', 'src/'), bench.read('src/domain/reconciliation.ts')])
  yield step([
    bench.edit(
      'src/service/reconciliation-service.ts',
      '...checkCurrency(input.currency)',
      '...checkCurrency(input.statement.currency)',
    ),
  ])
  yield step([bench.bash('npm test', 'Run all tests', bench.testRun([]))])
}

function* admin(bench) {
  yield step(
    [
      bench.edit(
        'src/config.ts',
        '  port: Number(process.env.LEDGER_PORT ?? 8443),',
        '  port: Number(process.env.LEDGER_PORT ?? 8443),\n  adminPort: Number(process.env.LEDGER_ADMIN_PORT ?? 9443),',
      ),
    ],
    { thinking: '8443 stays the port of the API; 9443 is new, for the admin listener only.' },
  )
  yield step([bench.write('src/admin.ts', adminSource)])
  yield step([
    bench.bash(
      'curl -sk https://localhost:9443/config',
      'Show the effective configuration',
      '{"port":8443,"adminPort":9443,"rounding":"half-even","reportingCurrency":"EUR","statementTimeoutMs":5000,"maxEntriesPerRequest":500}',
    ),
  ])
  yield step([
    bench.bash(
      'curl -sk https://localhost:8443/health',
      'Check the API',
      'curl: (7) Failed to connect to localhost port 8443\nexit code 7',
      true,
    ),
  ])
  yield step([
    bench.bash(
      'LEDGER_DATABASE=postgres://localhost/ledger_dev npm start & sleep 2; curl -sk https://localhost:8443/health',
      'Start it, then check',
      '{"status":"ok","database":"ok","rates":"2026-02-03"}',
    ),
  ])
}

function* review(bench, list) {
  yield step([bench.grep('convert|round|rateMicros|rate_micros', 'src/'), bench.read('src/domain/convert.ts')], {
    thinking:
      'A second rounding would hide where amounts are divided. Look for every division and every use of convert.',
  })
  for (const name of list) {
    yield step([bench.read(`src/service/${name}-service.ts`), bench.read(`src/domain/${name}.ts`)])
    yield step([bench.read(`src/store/${name}-store.ts`), bench.read(`test/${name}.test.ts`)])
    yield step([bench.grep(`${pascal(name)}|convert`, `src/http/${name}`)])
  }
  yield step([
    bench.bash(
      'git diff --stat',
      'What changed',
      ' src/domain/convert.ts | 41 ++++\n src/config.ts | 3 +-\n 14 files changed, 212 insertions(+), 31 deletions(-)',
    ),
  ])
  yield step([bench.bash('npm test', 'Run all tests', bench.testRun([]))])
  yield step([
    bench.todos([
      ['Rounding difference to account 9990', 'completed'],
      ['Runbook for rate imports', 'pending'],
      ['Index on rate_micros (LEDG-2304)', 'pending'],
    ]),
  ])
}

const convertTest = `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { convert } from '../src/domain/convert.js'

test('the rest of a conversion goes to account 9990', () => {
  const result = convert({ amountMinor: 1_005n, from: 'EUR', to: 'USD', rateMicros: 1_081_250n })
  assert.deepEqual(result, { amountMinor: 1_087n, restMicros: -343_750n })
})
`

const convertSource = `export const exponents: Record<string, number> = { JPY: 0 }

/** Converts once and says what rounding took: the rest is posted to account 9990. */
export function convert(input: { amountMinor: bigint; from: string; to: string; rateMicros: bigint }) {
  const shift = BigInt((exponents[input.to] ?? 2) - (exponents[input.from] ?? 2))
  const numerator = input.amountMinor * input.rateMicros * (shift > 0n ? 10n ** shift : 1n)
  const denominator = 1_000_000n * (shift < 0n ? 10n ** -shift : 1n)
  const quotient = numerator / denominator
  const remainder = numerator % denominator
  const half = denominator / 2n
  const up = remainder >= half
  return { amountMinor: up ? quotient + 1n : quotient, restMicros: up ? remainder - denominator : remainder }
}
`

const migration13 = `-- new in this change; 0001 to 0012 are applied and stay as they are
ALTER TABLE journal_entrys ADD COLUMN rate_micros NUMERIC(20, 0);
ALTER TABLE postings ADD COLUMN converted_minor NUMERIC(20, 0);
INSERT INTO accounts (id, code, name, kind, currency) VALUES (gen_random_uuid(), '9990', 'Rounding differences', 'expense', 'EUR');
`

const adminSource = `import { createServer } from 'node:https'
import { config } from './config.js'

/** Health and effective configuration, for operators only; the API keeps its own port. */
export function startAdmin(tls: { key: string; cert: string }) {
  return createServer(tls, (request, response) => {
    const body = request.url === '/config' ? { ...config, database: undefined } : { status: 'ok' }
    response.end(JSON.stringify(body))
  }).listen(config.adminPort)
}
`
