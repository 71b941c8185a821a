import { AsyncLocalStorage } from 'node:async_hooks'
import type { StoreCall } from 'palimpsest'
import type { SessionStore } from './session-store.ts'

/** Turns that run around this call: of one in itself nobody would ever see the end. */
const turnsAround = new AsyncLocalStorage<readonly OwnTurn[]>()

interface OwnTurn {
  readonly store: SessionStore
  readonly id: string
}

/**
 * Runs a turn of a session alone among all processes.
 * @throws RangeError from within a turn of the same session, which would wait for itself.
 */
export function turnAlone<Result>(
  { store, id }: OwnTurn,
  run: () => Promise<Result>,
  call: StoreCall = {},
): Promise<Result> {
  const around = turnsAround.getStore() ?? []
  if (around.some((turn) => turn.store === store && turn.id === id)) throw turnInItself(id)
  const own = [...around, { store, id }]
  return store.alone(`session:${id}`, () => turnsAround.run(own, run), call)
}

function turnInItself(id: string): RangeError {
  return new RangeError(
    `A turn of session ${JSON.stringify(id)} began within a turn of that session, and would wait for itself.`,
  )
}
