import { memorySessions } from './memory-sessions.ts'
import { sessionStoreLaws } from './session-store-laws.ts'

sessionStoreLaws('in memory', async () => memorySessions())
