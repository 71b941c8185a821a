import type { SessionDatabase } from '@palimpsest/sessions/database'
import { usageError } from '../../error-report.ts'
import { type ExitCode, exitCode } from '../../exit-code.ts'
import { type OpenedStore, type StoreOptions, withSessions } from '../../session-store/opened-store.ts'
import type { Terminal } from '../../terminal.ts'
import { columns } from '../../text-columns.ts'

export interface MigrateCommandOptions extends StoreOptions {
  readonly to?: string
  readonly json?: boolean
}

export type MigrateDirection = 'up' | 'down' | 'status'

/** Takes the tables of a store to a newer or an older version, or says which they have. */
export async function migrateStore(
  direction: MigrateDirection,
  options: MigrateCommandOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  if (direction === 'status' && options.to !== undefined)
    throw usageError('--to goes with up and down.', 'Leave it out.')
  const make = direction === 'up'
  return withSessions(options, (opened) => run(direction, opened, options, terminal), { make, migrate: false })
}

async function run(
  direction: MigrateDirection,
  { database, place }: OpenedStore,
  { to, json }: MigrateCommandOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  if (direction !== 'status') {
    if (to !== undefined) await refuseOtherDirection(direction, to, database)
    const taken = await database.migrations.migrate(to ?? direction)
    for (const step of taken) terminal.say(`${step.direction} ${step.name}`)
    if (taken.length === 0) terminal.say('nothing to do')
  }
  const steps = await database.migrations.list()
  const rows = steps.map(({ name, done }) => [name, done ? 'taken' : 'not taken'])
  terminal.data(
    json
      ? `${JSON.stringify({ store: place.shown, migrations: steps }, undefined, 2)}\n`
      : `${columns(rows, ['left', 'left'])}\n`,
  )
  return exitCode.fine
}

/** Who says `up --to` a version that lies behind would lose what came since. */
async function refuseOtherDirection(
  direction: 'up' | 'down',
  to: string,
  { migrations }: SessionDatabase,
): Promise<void> {
  const steps = await migrations.list()
  const target = steps.findIndex(({ name }) => name === to)
  const current = steps.findLastIndex(({ done }) => done)
  // unknown names are told by the database
  if (to === 'up' || to === 'down') throw usageError(`--to: ${to} names no migration.`, namesOf(steps))
  if (target < 0 && to !== 'none') return
  if (direction === 'up' ? target < current : target > current) {
    throw usageError(`--to: ${to} is not ${direction} from here.`, namesOf(steps))
  }
}

function namesOf(steps: readonly { readonly name: string }[]): string {
  return `Migrations are ${steps.map(({ name }) => name).join(', ')}; none is before the first.`
}
