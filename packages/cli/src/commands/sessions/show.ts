import {
  type MessageEntry,
  type PathCompaction,
  readWholeSession,
  type SessionSummary,
  type WholeSession,
  wholeConversation,
} from '@palimpsest/sessions'
import { conversationUnderPlan } from 'palimpsest'
import { usageError } from '../../error-report.ts'
import { type ExitCode, exitCode } from '../../exit-code.ts'
import { formatCount } from '../../format-number.ts'
import { chosenSession } from '../../session-store/chosen-session.ts'
import { type StoreOptions, withSessions } from '../../session-store/opened-store.ts'
import { messageText, toolNamesOf } from '../../session-text/message-text.ts'
import { headText, logText, transcriptText } from '../../session-text/session-text.ts'
import { summaryJson } from '../../session-text/summary-json.ts'
import { isoTime } from '../../session-text/utc-time.ts'
import type { Terminal } from '../../terminal.ts'

export interface ShowCommandOptions extends StoreOptions {
  readonly transcript?: boolean
  readonly view?: boolean
  readonly log?: boolean
  readonly from?: number
  readonly to?: number
  readonly full?: boolean
  readonly json?: boolean
}

/** How many messages or entries a page has where no end of it is named. */
const PAGE = 20

/** Prints one session: a page of its transcript, of what the model is sent, or of its log. */
export async function showSession(id: string, options: ShowCommandOptions, terminal: Terminal): Promise<ExitCode> {
  if ([options.transcript, options.view, options.log].filter(Boolean).length > 1) {
    throw usageError('--transcript, --view and --log are three ways to show a session.', 'Name one of them.')
  }
  const [summary, session] = await withSessions(options, async ({ sessions }) => {
    const chosen = await chosenSession(sessions, id)
    return [chosen, await readWholeSession(sessions, chosen.id)] as const
  })
  const shown = options.log ? logPage(session) : options.view ? viewPage(session) : transcriptPage(session)
  const range = rangeOf(shown, options)
  if (options.json) {
    const content = { ...summaryJson(summary), ...range, ...shown.json(range) }
    terminal.data(`${JSON.stringify(content, undefined, 2)}\n`)
    return exitCode.fine
  }
  terminal.data(`${pageText(summary, session, { shown, range, options, terminal })}\n`)
  return exitCode.fine
}

interface Range {
  readonly from: number
  readonly to: number
}

/** What there is to show, by numbers [from, to). */
interface Shown extends Range {
  readonly name: 'messages' | 'items' | 'entries'
  text(range: Range, options: { readonly columns: number; readonly full?: boolean }): string
  json(range: Range): object
}

function pageText(
  summary: SessionSummary,
  session: WholeSession,
  page: { shown: Shown; range: Range; options: ShowCommandOptions; terminal: Terminal },
): string {
  const { shown, range, options, terminal } = page
  const { from, to } = range
  const what = from >= to ? `no ${shown.name} there` : `${shown.name} ${formatCount(from)} to ${formatCount(to - 1)}`
  const all = from === shown.from && to === shown.to
  const others = all ? '' : `, of ${formatCount(shown.from)} to ${formatCount(shown.to - 1)} (--from N --to N)`
  const text = shown.text(range, { columns: terminal.columns, ...(options.full && { full: true }) })
  return [headText(summary, session), `${what}${others}`, ...(text === '' ? [] : [text])].join('\n\n')
}

/** What is named, within what there is. Without a name the newest page; in JSON all of it. */
function rangeOf({ from: first, to: end }: Shown, { from, to, json }: ShowCommandOptions): Range {
  const size = json ? end - first : PAGE
  if (from === undefined && to === undefined) return { from: Math.max(first, end - size), to: end }
  const begin = Math.max(first, from ?? Math.max(first, (to ?? end) - size))
  const wanted = to ?? begin + size
  if (from !== undefined && wanted < from)
    throw usageError('--to is below --from.', '--from 0 --to 20 shows the first 20.')
  return { from: Math.min(begin, end), to: Math.min(Math.max(wanted, begin), end) }
}

function transcriptPage(session: WholeSession): Shown {
  const { messages, compactions } = session.path
  return {
    name: 'messages',
    from: 0,
    to: messages.length,
    text: (range, options) => transcriptText(range, session, options),
    json: ({ from, to }) => ({
      messages: messages.slice(from, to).map(messageJson),
      compactions: compactions.filter(({ position }) => from <= position && position <= to).map(compactionJson),
    }),
  }
}

function messageJson({ position, seq, at, injected, item }: MessageEntry): object {
  return { position, seq, at: isoTime(at), ...(injected && { injected }), item }
}

function compactionJson({ position, entry }: PathCompaction): object {
  const { type, seq, at, hash: _, ...told } = entry
  return { position, seq, at: isoTime(at), type, ...told }
}

/** The items as the model is sent them, under the record in force. They have numbers of their own. */
function viewPage(session: WholeSession): Shown {
  const { dialect, snapshot } = session
  const whole = wholeConversation(session)
  const { record } = snapshot
  const { items } =
    record === undefined
      ? whole
      : conversationUnderPlan(dialect, whole, { current: record.plan, madeAt: record.length }).conversation
  return {
    name: 'items',
    from: 0,
    to: items.length,
    text: ({ from, to }, options) => {
      const views = items.map((item) => dialect.view(item))
      const toolNames = toolNamesOf(views)
      return views
        .slice(from, to)
        .map((view, at) => {
          const role = view.checkpoint ? `${view.role}, the summary` : view.role
          return `(${from + at}) ${role}\n${messageText(view, { ...options, toolNames })}`
        })
        .join('\n\n')
    },
    json: ({ from, to }) => ({ items: items.slice(from, to) }),
  }
}

function logPage({ entries }: WholeSession): Shown {
  const between = ({ from, to }: Range) => entries.filter(({ seq }) => from <= seq && seq < to)
  return {
    name: 'entries',
    from: entries[0]?.seq ?? 1,
    to: (entries.at(-1)?.seq ?? 0) + 1,
    text: (range, { columns }) => logText(between(range), columns),
    json: (range) => ({ entries: between(range) }),
  }
}
