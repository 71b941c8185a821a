import type { VirtualFiles } from 'palimpsest'
import { Turns } from 'palimpsest/stores'
import type { AgentTool } from './agent-tool.ts'
import { bashTool } from './bash-tool.ts'
import type { Environment } from './command/clean-environment.ts'
import { editFileTool } from './edit-file.ts'
import { listFilesTool } from './list-files.ts'
import { readFileTool } from './read-file.ts'
import { searchFilesTool } from './search-files.ts'
import { KnownFiles } from './workspace/files.ts'
import { Workspace } from './workspace/workspace.ts'
import { writeFileTool } from './write-file.ts'

export interface WorkspaceToolOptions {
  /** The folder that everything is confined to. */
  readonly root: string
  /** Further folders that may be read: those of skills, say. */
  readonly readable?: readonly string[]
  /** What left the conversation, which `read_file`, `list_files` and `search_files` serve as files. */
  readonly history: VirtualFiles
  /** Seconds that a command may run. Default 120. */
  readonly commandSeconds?: number
  /** Of commands; secrets are taken out. Default: that of this process. */
  readonly env?: Environment
}

const COMMAND_SECONDS = 120

/**
 * Tools on the files and programs of a workspace. They know together what was read, and write one after the other; another set
 * knows nothing of it.
 *
 * @example const tools = workspaceTools({ root: process.cwd(), history: virtualFiles(stores, { namespace, session }) })
 */
export function workspaceTools(options: WorkspaceToolOptions): readonly AgentTool[] {
  const { root, readable = [], history, commandSeconds = COMMAND_SECONDS, env = process.env } = options
  const workspace = new Workspace({ root, readable })
  const files = { workspace, known: new KnownFiles(), history }
  const turns = new Turns()
  return [
    readFileTool(files),
    writeFileTool(files, turns),
    editFileTool(files, turns),
    listFilesTool(files),
    searchFilesTool(files),
    bashTool({ root: workspace.root, seconds: commandSeconds, env }),
  ]
}
