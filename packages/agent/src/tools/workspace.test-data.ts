import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { memoryStores, virtualFiles } from 'palimpsest'
import { onTestFinished } from 'vitest'
import type { AgentTool, ToolOutput } from './agent-tool.ts'
import { Permissions } from './permissions.ts'
import { runTool } from './run-tool.ts'
import { type WorkspaceToolOptions, workspaceTools } from './workspace-tools.ts'

/** A folder of a test's own, gone afterwards. Its real path. */
export async function ownFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'palimpsest-tools-')))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

export const SCOPE = { namespace: 'tests', session: 's1' } as const

export type CallTool = (name: string, input: unknown, signal?: AbortSignal) => Promise<ToolOutput>

/** Calls tools as a loop does, everything allowed. */
export function callerOf(tools: readonly AgentTool[]): CallTool {
  const permissions = new Permissions({ allow: ['all'], root: '/' })
  return (name, input, signal = new AbortController().signal) => {
    const tool = tools.find((one) => one.name === name)
    if (tool === undefined) throw new RangeError(`There is no tool ${name}.`)
    return runTool(tool, input, { id: 'call', signal }, permissions)
  }
}

/** The workspace's tools over a folder of the test's own. */
export async function toolsInFolder(options: Partial<WorkspaceToolOptions> = {}) {
  const root = options.root ?? (await ownFolder())
  const stores = memoryStores()
  const history = virtualFiles(stores, SCOPE)
  const call = callerOf(workspaceTools({ history, env: process.env, ...options, root }))
  return { root, call, stores }
}
