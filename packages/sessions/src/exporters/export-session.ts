import { type Dialect, dialectByName, PalimpsestError } from 'palimpsest'
import { claudeCodeLines } from './claude-code-lines.ts'
import {
  EXPORT_FORMATS,
  type Export,
  type ExportedSession,
  type ExportFormat,
  type ExportView,
} from './exported-session.ts'
import { jsonDocument, jsonLinesOf } from './json-document.ts'
import { LossTally } from './loss-tally.ts'
import { convertedRequest } from './neutral/write-neutral.ts'
import { codexBody } from './neutral/write-responses.ts'
import { openedRequest } from './opened-request.ts'
import { ownBody, ownRequest } from './own-request.ts'
import { piLines } from './pi-lines.ts'

/** What of a session is exported. */
export interface ExportOptions {
  /** Default: `full-with-markers` for the session files of clients, `transcript` for everything else. */
  readonly view?: ExportView
}

/**
 * A session as a request of any dialect, as a session file of another client, or as its own log. In its own dialect items
 * stand byte for byte; elsewhere, what could not be carried is told in `losses`. The same session gives the same text.
 *
 * @throws PalimpsestError `invalid-input` for a format or view that there is not.
 * @example
 * const { text, losses } = exportSession(session, 'claude-code')
 */
export function exportSession(session: ExportedSession, format: ExportFormat, options: ExportOptions = {}): Export {
  const losses = new LossTally()
  const text = textIn(session, format, options.view, losses)
  return { text: text.endsWith('\n') ? text : `${text}\n`, losses: losses.list() }
}

function textIn(
  session: ExportedSession,
  format: ExportFormat,
  view: ExportView | undefined,
  losses: LossTally,
): string {
  if (!EXPORT_FORMATS.includes(format)) throw noFormat(format)
  if (format === 'log') return logText(session, view)
  if (format === 'claude-code') return jsonLinesOf(claudeCodeLines(session, fileView(view), losses))
  if (format === 'pi') return jsonLinesOf(piLines(session, fileView(view), losses))
  return requestText(session, format, requestView(view, format), losses)
}

function fileView(view: ExportView | undefined): ExportView {
  return view ?? 'full-with-markers'
}

function requestView(view: ExportView | undefined, format: ExportFormat): 'transcript' | 'view' {
  if (view !== 'full-with-markers') return view ?? 'transcript'
  throw new PalimpsestError('invalid-input', `A request in "${format}" has no place for compaction markers.`, {
    hint: 'Take the view "transcript" or "view"; the formats "claude-code" and "pi" have markers.',
  })
}

function requestText(
  session: ExportedSession,
  format: Exclude<ExportFormat, 'log' | 'claude-code' | 'pi'>,
  view: 'transcript' | 'view',
  losses: LossTally,
): string {
  const dialect = dialectByName(session.dialect)
  const opened = openedRequest(session, dialect, view)
  if (format === session.dialect) return ownRequest(session, dialect, opened, losses)
  const native = isOneFamily(format, session.dialect) ? nativeRelative(session, format, view) : undefined
  if (native !== undefined) {
    for (const { what } of native.losses) losses.add(what)
    return native.text
  }
  return jsonDocument(convertedRequest(opened, { from: session.dialect, to: format, losses, openCalls: 'drop' }))
}

/** Codex speaks Responses: items are the same, the body around them is not. */
function isOneFamily(a: string, b: string): boolean {
  return RESPONSES_FAMILY.has(a) && RESPONSES_FAMILY.has(b)
}

const RESPONSES_FAMILY: ReadonlySet<string> = new Set(['openai-responses', 'openai-codex'])

/** The items as they are, where the relative takes them; undefined where it would refuse the request. */
function nativeRelative(
  session: ExportedSession,
  format: ExportFormat,
  view: 'transcript' | 'view',
): Export | undefined {
  const losses = new LossTally()
  const own = dialectByName(session.dialect)
  const opened = openedRequest(session, own, view)
  const target: Dialect<unknown, object> = dialectByName(format)
  if (format === 'openai-responses') return { text: ownRequest(session, own, opened, losses), losses: losses.list() }
  const { max_output_tokens: cap, ...body } = ownBody(session, own, opened, losses) as Record<string, unknown>
  if (cap != null) losses.add('output cap')
  const asked = codexBody(body, losses)
  const broken = target.check(target.open(asked)).length > 0
  return broken ? undefined : { text: jsonDocument(asked), losses: losses.list() }
}

function logText(session: ExportedSession, view: ExportView | undefined): string {
  if (view === 'view') {
    throw new PalimpsestError('invalid-input', 'A log has its entries, whatever a model is sent of them.', {
      hint: 'Leave the view out, or take another format.',
    })
  }
  if (session.entries !== undefined) return jsonLinesOf(session.entries)
  throw new PalimpsestError('invalid-input', 'This session has no log: it was read from a file.', {
    hint: 'Import it into a store first, or take another format.',
  })
}

function noFormat(format: string): PalimpsestError {
  return new PalimpsestError('invalid-input', `Sessions cannot be exported as "${format}".`, {
    hint: `Known are ${EXPORT_FORMATS.join(', ')}.`,
  })
}
