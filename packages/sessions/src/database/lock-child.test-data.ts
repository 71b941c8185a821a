import { openDatabase } from './open-database.ts'

/** Holds the turn of a root until somebody kills it, and says when it has it. */
async function holdForEver(url: string): Promise<void> {
  const { stores } = await openDatabase(url)
  await stores.records.alone('root', () => {
    process.stdout.write('holding\n')
    return new Promise((resolve) => setTimeout(resolve, 2 ** 31 - 1))
  })
}

/** Says when it enters its turns of a root, and when it leaves them. */
async function takeTurns(url: string, turns: number): Promise<void> {
  const { stores, close } = await openDatabase(url)
  for (let turn = 0; turn < turns; turn++) {
    await stores.records.alone('root', async () => {
      process.stdout.write(`in ${process.pid} ${process.hrtime.bigint()}\n`)
      await stores.artifacts.put('n', `${process.pid} ${turn}`)
      process.stdout.write(`out ${process.pid} ${process.hrtime.bigint()}\n`)
    })
  }
  await close()
}

const [, , url = '', turns = ''] = process.argv
if (process.env.PALIMPSEST_LOCK_CHILD === 'hold') await holdForEver(url)
if (process.env.PALIMPSEST_LOCK_CHILD === 'turns') await takeTurns(url, Number(turns))
