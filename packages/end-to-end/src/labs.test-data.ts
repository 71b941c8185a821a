import { startWirelab, type Wirelab, type WirelabOptions } from '@palimpsest/wirelab'
import { afterEach } from 'vitest'

/** Simulators of a test file, with this window where nothing else is said; all of them end with each test. */
export function labsOf(window: number): {
  readonly labs: readonly Wirelab[]
  lab(options: WirelabOptions): Promise<Wirelab>
} {
  const labs: Wirelab[] = []
  afterEach(async () => {
    await Promise.all(labs.splice(0).map((one) => one.close()))
  })
  const lab = async (options: WirelabOptions) => {
    const started = await startWirelab({ window, ...options })
    labs.push(started)
    return started
  }
  return { labs, lab }
}
