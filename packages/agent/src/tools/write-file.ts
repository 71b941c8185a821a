import { Turns } from 'palimpsest/stores'
import { z } from 'zod'
import type { AgentTool } from './agent-tool.ts'
import {
  assertNoReference,
  type ChangeOptions,
  changeRequest,
  type FileChange,
  fileChange,
  inTime,
  writeChange,
} from './edit/file-change.ts'
import type { FileText } from './workspace/file-text.ts'

const input = z.strictObject({
  path: z.string().min(1).describe('The file, relative to the workspace.'),
  content: z.string().describe('The whole text.'),
})

type Input = z.infer<typeof input>

/** Writes whole files. */
export function writeFileTool(options: ChangeOptions, turns = new Turns()): AgentTool<Input> {
  const changeOf = ({ path, content }: Input): Promise<FileChange> => {
    assertNoReference(path)
    return fileChange(options, path, (file) => withLineEnds(content, file))
  }
  return {
    name: 'write_file',
    description: `Writes a whole file, and the folders that it needs. A file that exists must have been read before with \
read_file, and keeps its encoding and line ends. To change a part of a file use edit_file.`,
    input,
    permission: (asked, call) =>
      inTime(asked.path, call, async () => changeRequest('write_file', await changeOf(asked))),
    run: (asked, call) =>
      turns.next(
        'write',
        () => inTime(asked.path, call, async () => writeChange(options, await changeOf(asked))),
        call.signal,
      ),
  }
}

/** Models write `\n`; who has `\r\n` in a file wants to keep it. */
function withLineEnds(content: string, file: FileText | undefined): string {
  if (file?.lineEnd !== '\r\n' || content.includes('\r\n')) return content
  return content.replaceAll('\n', '\r\n')
}
