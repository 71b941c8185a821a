// Property tests draw other inputs at every run, to find what nobody thought of; PALIMPSEST_SEED makes a run repeatable.
// CI sets it: whether a change lands must not depend on the luck of the draw.
import fc from 'fast-check'

const seed = process.env.PALIMPSEST_SEED
if (seed !== undefined) fc.configureGlobal({ seed: Number(seed) })
