import { Turns } from 'palimpsest/stores'
import { z } from 'zod'
import { type AgentTool, ToolFailure } from './agent-tool.ts'
import { applyEdits, type TextEdit } from './edit/apply-edits.ts'
import {
  assertNoReference,
  type ChangeOptions,
  changeRequest,
  type FileChange,
  fileChange,
  inTime,
  writeChange,
} from './edit/file-change.ts'

const one = {
  old_text: z.string().describe('The text to replace, exactly as it is in the file, without line numbers.'),
  new_text: z.string().describe('The text to put in its place.'),
  replace_all: z
    .boolean()
    .optional()
    .describe('Every place where it stands. Default: it must stand in one place only.'),
}

const input = z.strictObject({
  path: z.string().min(1).describe('The file, relative to the workspace.'),
  old_text: one.old_text.optional(),
  new_text: one.new_text.optional(),
  replace_all: one.replace_all,
  edits: z
    .array(z.strictObject(one))
    .min(1)
    .max(100)
    .optional()
    .describe('Several edits of the file instead of one, made in this order: all of them, or none.'),
})

type Input = z.infer<typeof input>

/** Replaces texts in files. */
export function editFileTool(options: ChangeOptions, turns = new Turns()): AgentTool<Input> {
  const changeOf = async (asked: Input): Promise<FileChange> => {
    assertNoReference(asked.path)
    const edits = editsOf(asked)
    return fileChange(options, asked.path, (file, shown) => {
      if (file === undefined) throw new ToolFailure(`There is no file ${shown}. To make one use write_file.`)
      return applyEdits(file.text, edits, file.lineEnd)
    })
  }
  return {
    name: 'edit_file',
    description: `Replaces old_text by new_text in a file that was read before with read_file. old_text must stand in one \
place only, unless replace_all is set: give as many lines around it as make it unique. Several changes of one file go into \
one call, as edits. The answer shows what changed.`,
    input,
    permission: (asked, call) =>
      inTime(asked.path, call, async () => changeRequest('edit_file', await changeOf(asked))),
    run: (asked, call) =>
      turns.next(
        'write',
        () => inTime(asked.path, call, async () => writeChange(options, await changeOf(asked))),
        call.signal,
      ),
  }
}

function editsOf({ old_text, new_text, replace_all, edits }: Input): readonly TextEdit[] {
  if (edits !== undefined && old_text !== undefined)
    throw new ToolFailure('Give either old_text with new_text, or edits: not both.')
  if (edits !== undefined) return edits.map(editOf)
  if (old_text === undefined || new_text === undefined)
    throw new ToolFailure('Give old_text and new_text, or a list of them as edits.')
  return [editOf({ old_text, new_text, replace_all })]
}

function editOf({
  old_text,
  new_text,
  replace_all,
}: Required<Pick<Input, 'old_text' | 'new_text'>> & Pick<Input, 'replace_all'>) {
  if (old_text === new_text) throw new ToolFailure('old_text and new_text are the same: there is nothing to change.')
  return { before: old_text ?? '', after: new_text ?? '', everywhere: replace_all === true }
}
