import type { Terminal } from '@mariozechner/pi-tui'
import type {
  Agent,
  AgentEvent,
  AgentModel,
  ContextMeter,
  SessionCost,
  TurnEnd,
  TurnResult,
  UndoPoint,
} from '@palimpsest/agent'
import { memorySessions, Session, type SessionStore } from '@palimpsest/sessions'
import { aiSdk, type Dialect, PalimpsestError } from 'palimpsest'
import type { ExitCode } from '../exit-code.ts'
import type { EndListener } from './repl-devices.ts'
import type { ReplPorts } from './repl-options.ts'
import { runRepl } from './run-repl.ts'
import { ScreenReader } from './screen-reader.test-data.ts'

const NO_SOURCES = { system: 100, memory: 0, tools: 50, human: 10, model: 20, tool: 0, summary: 0 }
const NOTHING = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0, calls: 0 }

/** An agent that a test plays by hand: it emits what the test tells it, and ends when the test says so. */
export class PlayedAgent implements Agent {
  readonly session: Session
  model: AgentModel
  busy = false
  readonly sent: string[] = []
  readonly compacted: (string | undefined)[] = []
  readonly undone: UndoPoint[] = []
  points: readonly UndoPoint[] = []
  used: ContextMeter['used'] = 'waiting'
  readonly #ports: ReplPorts
  readonly #sessions: SessionStore
  #end: ((result: TurnResult) => void) | undefined
  #fail: ((error: unknown) => void) | undefined
  #endCompaction: ((done: boolean) => void) | undefined

  constructor(session: Session, ports: ReplPorts, sessions: SessionStore) {
    this.session = session
    this.model = modelNamed('test:model')
    this.#ports = ports
    this.#sessions = sessions
  }

  emit(...events: readonly AgentEvent[]): void {
    for (const event of events) this.#ports.onEvent(event)
  }

  end(ended: TurnEnd = { outcome: 'answered' }): void {
    this.#end?.({ ...ended, texts: [], steps: 1 })
  }

  /** As a fault of ours does. */
  break(error: unknown): void {
    this.#fail?.(error)
  }

  endCompaction(done: boolean): void {
    this.#endCompaction?.(done)
  }

  ask: ReplPorts['ask'] = (request, call) => this.#ports.ask(request, call)

  send: Agent['send'] = (text, { signal } = {}) => {
    this.sent.push(text)
    this.busy = true
    signal?.addEventListener('abort', () => this.end({ outcome: 'cancelled' }))
    return new Promise<TurnResult>((resolve, reject) => {
      this.#end = resolve
      this.#fail = reject
    }).finally(() => {
      this.busy = false
    })
  }

  compact: Agent['compact'] = ({ focus, signal } = {}) => {
    this.compacted.push(focus)
    signal?.addEventListener('abort', () => this.endCompaction(false))
    return new Promise((resolve) => {
      this.#endCompaction = resolve
    })
  }

  setModel: Agent['setModel'] = async (model) => {
    this.model = model
  }

  context = async (): Promise<ContextMeter> => ({
    window: 1_000,
    trigger: 800,
    used: this.used,
    sources: NO_SOURCES,
    messages: { inView: 3, all: 7 },
  })

  cost = async (): Promise<SessionCost> => ({
    chat: { ...NOTHING, input: 1_200, output: 300, calls: 2 },
    summarize: NOTHING,
    subAgents: NOTHING,
    dollars: 1.5,
    models: ['test:model'],
  })

  undoPoints = async (): Promise<readonly UndoPoint[]> => this.points

  undo: Agent['undo'] = async (point) => {
    this.undone.push(point)
    await this.session.rewind(point.to)
  }

  fork: Agent['fork'] = async () => {
    const id = `${this.session.id}-fork`
    await this.#sessions.fork(this.session.id, id)
    return new PlayedAgent(await Session.open(this.#sessions, id), this.#ports, this.#sessions)
  }
}

export function modelNamed(name: string): AgentModel {
  return { name, provider: 'test', id: name } as unknown as AgentModel
}

/** A clock that stands still until it is moved. */
export class HandClock {
  #now = 1_000_000
  #next: { readonly at: number; readonly run: () => void }[] = []

  now = (): number => this.#now

  after = (milliseconds: number, run: () => void): (() => void) => {
    const timer = { at: this.#now + milliseconds, run }
    this.#next.push(timer)
    return () => {
      this.#next = this.#next.filter((one) => one !== timer)
    }
  }

  move(milliseconds: number): void {
    const end = this.#now + milliseconds
    for (;;) {
      const [first] = this.#next.filter(({ at }) => at <= end).sort((one, other) => one.at - other.at)
      if (first === undefined) break
      this.#next = this.#next.filter((one) => one !== first)
      this.#now = first.at
      first.run()
    }
    this.#now = end
  }
}

export interface VirtualReplOptions {
  readonly columns?: number
  readonly rows?: number
  readonly prompt?: string
  readonly color?: boolean
  /** Writes the session before it is opened. */
  readonly before?: (session: Session) => Promise<void>
  readonly sessions?: SessionStore
  readonly notes?: readonly string[]
}

/** The terminal agent on a terminal in memory, with an agent that is played by hand. */
export async function virtualRepl(options: VirtualReplOptions = {}) {
  const screen = new ScreenReader({ columns: options.columns ?? 80, rows: options.rows ?? 24 })
  const terminal = new VirtualTerminal(screen)
  const clock = new HandClock()
  const sessions = options.sessions ?? memorySessions().open('test')
  const said: string[] = []
  let listener: EndListener | undefined
  let agent: PlayedAgent | undefined
  let closed = 0
  const dialect = aiSdk as unknown as Dialect<unknown, object>
  const session = await Session.create(sessions, 'first', { dialect, now: clock.now })
  await options.before?.(session)
  const code: Promise<ExitCode> = runRepl(
    {
      open: async (ports) => {
        const played = new PlayedAgent(session, ports, sessions)
        agent = played
        return {
          agent: played,
          sessions,
          notes: options.notes ?? [],
          openModel: async (name) => {
            if (name.includes(':')) return modelNamed(name)
            throw new PalimpsestError('invalid-input', `No provider is in ${name}.`, { hint: 'Say provider:model.' })
          },
          resume: async (id) => new PlayedAgent(await Session.open(sessions, id), ports, sessions),
          close: async () => {
            closed += 1
          },
        }
      },
      cwd: import.meta.dirname,
      color: options.color ?? false,
      say: (line) => said.push(line),
      goOn: (id) => `palimpsest --resume ${id}`,
      ...(options.prompt !== undefined && { prompt: options.prompt }),
    },
    {
      terminal,
      clock,
      suspend: (then) => then(),
      listen(one) {
        listener = one
        return () => {
          listener = undefined
        }
      },
    },
  )
  // a test that looks at it later must not fail before
  code.catch(() => {})
  await screen.sees('/help')
  if (agent === undefined || listener === undefined) throw new TypeError('It is not open.')
  const ends = listener
  return {
    screen,
    clock,
    agent,
    session,
    sessions,
    code,
    said,
    ends,
    terminal,
    get closed() {
      return closed
    },
    /** Keys, one after the other. */
    press: (...keys: readonly string[]) => {
      for (const key of keys) terminal.press(key)
    },
    type: (text: string) => {
      for (const key of text) terminal.press(key)
    },
    /** Types a text and sends it. */
    enter(text: string) {
      for (const character of text) terminal.press(character)
      terminal.press(KEYS.enter)
    },
  }
}

export type VirtualRepl = Awaited<ReturnType<typeof virtualRepl>>

export const KEYS = {
  enter: '\r',
  escape: '\u001b',
  ctrlC: '\u0003',
  ctrlD: '\u0004',
  ctrlO: '\u000f',
  up: '\u001b[A',
  down: '\u001b[B',
  tab: '\t',
} as const

class VirtualTerminal implements Terminal {
  readonly kittyProtocolActive = false
  running = false
  cursorShown = true
  readonly #screen: ScreenReader
  #input: (data: string) => void = () => {}
  #resize: () => void = () => {}

  constructor(screen: ScreenReader) {
    this.#screen = screen
  }

  press(key: string): void {
    this.#input(key)
  }

  resize(columns: number, rows: number): void {
    this.#screen.resize(columns, rows)
    this.#resize()
  }

  start(onInput: (data: string) => void, onResize: () => void): void {
    this.running = true
    this.#input = onInput
    this.#resize = onResize
  }

  stop(): void {
    this.running = false
    this.#input = () => {}
  }

  async drainInput(): Promise<void> {}

  write(data: string): void {
    this.#screen.feed(data)
  }

  get columns(): number {
    return this.#screen.columns
  }

  get rows(): number {
    return this.#screen.rows
  }

  moveBy(lines: number): void {
    if (lines !== 0) this.write(lines > 0 ? `\u001b[${lines}B` : `\u001b[${-lines}A`)
  }

  hideCursor(): void {
    this.cursorShown = false
  }

  showCursor(): void {
    this.cursorShown = true
  }

  clearLine(): void {
    this.write('\u001b[K')
  }

  clearFromCursor(): void {
    this.write('\u001b[J')
  }

  clearScreen(): void {
    this.write('\u001b[2J\u001b[H')
  }

  setTitle(): void {}

  setProgress(): void {}
}
