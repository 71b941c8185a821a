import type { ClientFormat } from '../client-format.ts'
import { isHistoryEntry, isStep, isTrajectory } from './swe-agent-file.ts'
import { SweAgentReader } from './swe-agent-reader.ts'

/** Trajectories of SWE-agent (`.traj`) and of mini-SWE-agent (`.traj.json`). */
export const sweAgentFormat: ClientFormat = {
  name: 'swe-agent',
  client: 'SWE-agent',
  isDocument: isTrajectory,
  isPiece: (record) => isTrajectory(record) || isHistoryEntry(record) || isStep(record),
  reader: (skipped, { session }) => new SweAgentReader(skipped, session),
}
