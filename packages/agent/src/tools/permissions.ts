import { Turns } from 'palimpsest/stores'
import { type AllowRule, allowsCommand, parseAllow } from './permission/allow-rule.ts'
import { type CommandLikeness, isAlike, likenessOf, likenessText } from './permission/command-likeness.ts'

/** What the user is asked to allow. */
export interface PermissionRequest {
  readonly tool: string
  readonly kind: 'write' | 'command'
  /** The path in the workspace, or the command, whole. */
  readonly target: string
  /** What would change, as a unified diff. */
  readonly preview?: string
}

/** `once`: this call; `session`: this call, and all that are like it; anything else is no, with a reason for the model. */
export type PermissionAnswer = 'once' | 'session' | { readonly denied: string }

/** Asks the person. Rejects when the signal is aborted. */
export type AskPermission = (
  request: PermissionRequest,
  call: { readonly id: string; readonly signal: AbortSignal },
) => Promise<PermissionAnswer>

export interface PermissionOptions {
  /** Rules as `parseAllow` reads them. */
  readonly allow: readonly string[]
  /** Without it, what no rule allows is denied. */
  readonly ask?: AskPermission
  /** The workspace, for messages. */
  readonly root: string
}

/** For the model: why not. */
export type PermissionOutcome = { readonly allowed: true } | { readonly allowed: false; readonly reason: string }

/**
 * What may happen without asking: by rules, and by answers that a person gave for the whole session. An answer for writes covers
 * all writes in the workspace; one for a command covers what `sessionCovers` says. Files that decide what runs or is allowed
 * (`.git`, `palimpsest.config.*`) are covered by `all`, and else each by an answer for itself.
 */
export class Permissions {
  readonly #rules: readonly AllowRule[]
  readonly #ask: AskPermission | undefined
  readonly #root: string
  readonly #commands: CommandLikeness[] = []
  readonly #guarded = new Set<string>()
  #writes = false
  readonly #turns = new Turns()

  /** @throws PalimpsestError `invalid-input` for a rule that is none. */
  constructor({ allow, ask, root }: PermissionOptions) {
    this.#rules = allow.map(parseAllow)
    this.#ask = ask
    this.#root = root
  }

  /** Would it run unasked? */
  allows(request: PermissionRequest): boolean {
    if (this.#rules.some((rule) => ruleAllows(rule, request))) return true
    if (request.kind === 'command') return this.#commands.some((likeness) => isAlike(likeness, request.target))
    return isGuarded(request.target) ? this.#guarded.has(request.target) : this.#writes
  }

  /** Asks where it must, one question at a time: what an answer allows, the next in the queue is not asked. */
  async check(
    request: PermissionRequest,
    call: { readonly id: string; readonly signal: AbortSignal },
  ): Promise<PermissionOutcome> {
    const ask = this.#ask
    if (this.allows(request)) return { allowed: true }
    if (ask === undefined) return { allowed: false, reason: nobodyToAsk(request, this.#root) }
    return this.#turns.next('question', () => this.#answered(request, call, ask), call.signal)
  }

  async #answered(
    request: PermissionRequest,
    call: { readonly id: string; readonly signal: AbortSignal },
    ask: AskPermission,
  ): Promise<PermissionOutcome> {
    if (this.allows(request)) return { allowed: true }
    const answer = await untilAborted(ask(request, call), call.signal)
    if (answer === 'session') this.#remember(request)
    if (answer === 'session' || answer === 'once') return { allowed: true }
    return { allowed: false, reason: deniedText(request, reasonOf(answer)) }
  }

  #remember(request: PermissionRequest): void {
    if (request.kind === 'command') this.#commands.push(likenessOf(request.target))
    else if (isGuarded(request.target)) this.#guarded.add(request.target)
    else this.#writes = true
  }
}

/**
 * For the person: what the answer `session` would allow from then on.
 *
 * @example sessionCovers({ tool: 'write_file', kind: 'write', target: 'a.txt' }) // 'all writes in the workspace'
 */
export function sessionCovers(request: PermissionRequest): string {
  if (request.kind === 'command') return likenessText(likenessOf(request.target))
  return isGuarded(request.target) ? 'writes to this file' : 'all writes in the workspace'
}

/** A question may wait for ever: who asks it need not listen to the signal. @throws the signal's reason. */
async function untilAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  signal.throwIfAborted()
  const end = new AbortController()
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true, signal: end.signal })
  })
  try {
    return await Promise.race([work, aborted])
  } finally {
    end.abort()
  }
}

/** Whatever is no yes is a no, with a reason or without. */
function reasonOf(answer: unknown): string {
  const hasReason = typeof answer === 'object' && answer !== null && 'denied' in answer
  return hasReason && typeof answer.denied === 'string' ? answer.denied : ''
}

function ruleAllows(rule: AllowRule, request: PermissionRequest): boolean {
  if (rule.kind === 'all') return true
  if (request.kind === 'write') return rule.kind === 'write' && !isGuarded(request.target)
  return rule.kind === 'command' || (rule.kind === 'commands' && allowsCommand(rule.pattern, request.target))
}

/** Whoever may write these may run anything, and allow it themselves. Some file systems know no case. */
function isGuarded(path: string): boolean {
  return /(?:^|[\\/])(?:\.git(?:[\\/]|$)|palimpsest\.config\.\w+$)/i.test(path)
}

function nobodyToAsk(request: PermissionRequest, root: string): string {
  const what = request.kind === 'write' ? `Writing ${request.target} in ${root}` : 'Running this command'
  return `${what} is not allowed, and nobody is there to be asked. A person allows it with ${wayToAllow(request)}. \
Go on without it, or say what you would need.`
}

function wayToAllow(request: PermissionRequest): string {
  if (request.kind === 'write') return isGuarded(request.target) ? '`--allow all`' : '`--allow write`'
  const likeness = likenessOf(request.target)
  const words =
    likeness.kind === 'beginning' ? likeness.words.join(' ') : likeness.kind === 'reading' && likeness.program
  return words ? `\`--allow "command:${words}"\`, or \`--allow command\` for all commands` : '`--allow command`'
}

function deniedText({ kind }: PermissionRequest, reason: string): string {
  const what = kind === 'write' ? 'this change' : 'this command'
  const why = reason.trim() === '' ? '' : `: ${reason.trim()}`
  return `The user did not allow ${what}${why}. Do not try to reach the same by other means.`
}
