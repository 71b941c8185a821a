import type { Stores } from 'palimpsest'
import { artifactPointer } from 'palimpsest'
import type { AgentMiddleware } from '../loop/middleware.ts'
import type { AgentTool } from '../tools/agent-tool.ts'

/** What the agent works on files with. */
export interface FilesystemSetup {
  readonly tools: readonly AgentTool[]
  readonly namespace: string
  readonly artifacts: Stores['artifacts']
  /** Are whole outputs stored? Not where a session keeps no results. */
  readonly offloads: boolean
}

/** The tools of the workspace; an output that had to be cut is stored whole, before the model is told where. */
export function filesystemSlot({ tools, namespace, artifacts, offloads }: FilesystemSetup): AgentMiddleware {
  return {
    name: 'filesystem',
    contribute: () => ({ tools }),
    async wrapToolOutput({ full, ...output }, { signal }) {
      if (full === undefined || !offloads) return output
      // what cannot be stored is not pointed to; the cut output stays as it is
      const key = await artifacts.put(namespace, full, { signal }).catch(() => undefined)
      if (key === undefined) return output
      return { ...output, text: `${output.text}\n[The whole output: read_file ${artifactPointer(key)}]` }
    },
  }
}
