import { type CommandFiles, commandsInScript, folderInScript, readCommand } from './command-text.ts'
import { type FileEdit, patchPaths, readPatch } from './patch-text.ts'
import { type PlanChange, readPlanChange } from './plan-change.ts'

/** What a call does, as far as its name and arguments tell. */
export type CallAction = 'read' | 'change' | 'run' | 'search' | 'plan' | 'other'

/** A tool call, read without knowing the client: what it acts on and with which words. */
export interface ToolCall {
  readonly tool: string
  readonly action: CallAction
  /** Files and folders it names, the target first; as written. */
  readonly paths: readonly string[]
  /** Files whose text its result is expected to show. */
  readonly reads: readonly string[]
  readonly command?: string
  readonly edits: readonly FileEdit[]
  readonly pattern?: string
  /** The folder it works in, where it says so. */
  readonly folder?: string
  readonly plan?: PlanChange
  /** Arguments that say what is acted on: paths, command, pattern. */
  readonly targetText: string
  /** All other argument text. */
  readonly otherText: string
}

type Role = 'path' | 'command' | 'before' | 'after' | 'pattern' | 'folder' | 'other'

/** Argument names of the clients in use, without case and separators. */
const ARGUMENT_ROLES: Readonly<Record<string, Role>> = {
  ...roles(
    'path',
    'path file filepath filename notebookpath absolutepath targetfile dir directory dirpath uri paths files',
  ),
  ...roles('path', 'relativeworkspacepath filepaths localpath source destination sourcepath destinationpath'),
  ...roles('command', 'command cmd script commands code commandline'),
  ...roles('before', 'oldstring oldtext oldstr old search find'),
  ...roles(
    'after',
    'newstring newtext newstr new replace replacement content contents filetext newcontent newsource text',
  ),
  ...roles('pattern', 'pattern query regex regexp searchterm glob q searchquery'),
  ...roles('folder', 'workdir workingdirectory cwd workingdir'),
}

const EDITOR_VERBS = new Set(['view', 'create', 'str_replace', 'insert', 'undo_edit', 'delete', 'rename'])
const MOST_ARGUMENTS = 400
const DEEPEST = 6

interface Argument {
  readonly role: Role
  readonly name: string
  readonly text: string
}

/** Reads a call from its tool name and the JSON (or free-form) text of its arguments. Never throws. */
export function readToolCall(tool: string, argumentText: string): ToolCall {
  const value = parsed(argumentText)
  const free = typeof value === 'string' ? value : undefined
  const found = free === undefined ? flatten(value) : []
  const verb = found.find((argument) => argument.role === 'command' && EDITOR_VERBS.has(argument.text))
  const given = verb ? found.filter((argument) => argument !== verb) : found
  const patch = [free ?? '', ...given.map((argument) => argument.text)].find((text) => text.includes('*** Begin Patch'))
  const command = commandOf(tool, given, free, patch)
  const files = command === undefined ? undefined : readCommand(command)
  const edits = patch === undefined ? editsOf(given) : readPatch(patch)
  const plan = readPlanChange(tool, value)
  const pattern = textOf(given, 'pattern')
  const folder = textOf(given, 'folder') ?? folderInScript(free) ?? files?.folder
  const paths = pathsOf(given, patch, files)
  const action = actionOf({ tool, verb: verb?.text, edits, command, pattern, plan, paths, patch })
  return {
    tool,
    action,
    paths,
    reads: action === 'read' ? paths.slice(0, 1) : (files?.reads ?? []),
    edits: [...edits, ...(files?.writes ?? []).map((path) => ({ path, after: '' }))],
    ...(command === undefined ? {} : { command }),
    ...(pattern === undefined ? {} : { pattern }),
    ...(folder === undefined ? {} : { folder }),
    ...(plan === undefined ? {} : { plan }),
    targetText: [...textsOf(given, ['path', 'pattern']), command ?? '', ...paths].join('\n'),
    otherText:
      patch ??
      (free !== undefined && command === undefined ? free : textsOf(given, ['before', 'after', 'other']).join('\n')),
  }
}

function roles(role: Role, names: string): Record<string, Role> {
  return Object.fromEntries(names.split(' ').map((name) => [name, role]))
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function flatten(value: unknown): readonly Argument[] {
  const found: Argument[] = []
  const visit = (name: string, inner: unknown, depth: number): void => {
    if (found.length >= MOST_ARGUMENTS || depth > DEEPEST) return
    if (typeof inner === 'string') found.push({ role: roleOf(name), name, text: inner })
    else if (typeof inner === 'number') found.push({ role: 'other', name, text: String(inner) })
    else if (Array.isArray(inner)) visitList(name, inner, depth)
    else if (inner !== null && typeof inner === 'object') {
      for (const [key, child] of Object.entries(inner)) visit(key, child, depth + 1)
    }
  }
  const visitList = (name: string, list: readonly unknown[], depth: number): void => {
    if (roleOf(name) === 'command' && list.every((word) => typeof word === 'string')) {
      found.push({ role: 'command', name, text: commandOfWords(list) })
    } else for (const element of list) visit(name, element, depth + 1)
  }
  visit('', value, 0)
  return found
}

function roleOf(name: string): Role {
  return ARGUMENT_ROLES[name.toLowerCase().replace(/[^a-z]/g, '')] ?? 'other'
}

/** `["bash", "-lc", "x"]` says x. */
function commandOfWords(words: readonly string[]): string {
  const isShell = /(?:^|\/)(?:ba|z|da|k|fi)?sh$|powershell|pwsh|cmd(?:\.exe)?$/i.test(words[0] ?? '')
  return isShell && words.length >= 3 ? (words[words.length - 1] ?? '') : words.join(' ')
}

function commandOf(tool: string, given: readonly Argument[], free?: string, patch?: string): string | undefined {
  if (free !== undefined) {
    if (patch !== undefined) return undefined
    const isShell = /bash|shell|exec|run|terminal|cmd/i.test(tool) && !isScript(free)
    return commandsInScript(free) ?? (isShell ? free : undefined)
  }
  const commands = given.filter((argument) => argument.role === 'command' && argument.text !== patch)
  return commands.length > 0 ? commands.map((argument) => argument.text).join('\n') : undefined
}

/** A script in a programming language is not read as a shell command: its arrows and brackets mean other things. */
function isScript(text: string): boolean {
  return /\b(?:tools\.\w+\(|(?:const|let|var) \w+ =)|=>|\bawait /.test(text.slice(0, 4_000))
}

/** Edits by argument names: the path that stands nearest before, each `before` with the `after` that follows it. */
function editsOf(given: readonly Argument[]): readonly FileEdit[] {
  const edits: FileEdit[] = []
  let path = textOf(given, 'path')
  let before: string | undefined
  if (path === undefined) return edits
  for (const argument of given) {
    if (argument.role === 'path') path = argument.text
    else if (argument.role === 'before') before = argument.text
    else if (argument.role === 'after') {
      edits.push(before === undefined ? { path, after: argument.text } : { path, before, after: argument.text })
      before = undefined
    }
  }
  return edits
}

function pathsOf(given: readonly Argument[], patch?: string, files?: CommandFiles): readonly string[] {
  const named = given.filter((argument) => argument.role === 'path' && argument.text.length <= 1_000)
  const listed = [...named.map((argument) => argument.text), ...(patch === undefined ? [] : patchPaths(patch))]
  return [...new Set([...listed, ...(files?.paths ?? [])])].filter((path) => path !== '' && !path.includes('\n'))
}

function actionOf(facts: {
  readonly tool: string
  readonly verb: string | undefined
  readonly edits: readonly FileEdit[]
  readonly command: string | undefined
  readonly pattern: string | undefined
  readonly plan: PlanChange | undefined
  readonly paths: readonly string[]
  readonly patch: string | undefined
}): CallAction {
  if (facts.plan !== undefined && facts.command === undefined) return 'plan'
  if (facts.patch !== undefined || facts.edits.length > 0) return 'change'
  if (facts.command !== undefined) return 'run'
  if (facts.verb !== undefined) return facts.verb === 'view' ? 'read' : 'change'
  if (facts.pattern !== undefined || /grep|glob|search|find|^ls$|list/i.test(facts.tool)) return 'search'
  if (facts.paths.length > 0 && /write|edit|create|replace|patch|update|insert|delete|move/i.test(facts.tool))
    return 'change'
  return facts.paths.length > 0 ? 'read' : 'other'
}

function textOf(given: readonly Argument[], role: Role): string | undefined {
  return given.find((argument) => argument.role === role && argument.text !== '')?.text
}

function textsOf(given: readonly Argument[], wanted: readonly Role[]): readonly string[] {
  return given.filter((argument) => wanted.includes(argument.role)).map((argument) => argument.text)
}
