import { type ExitCode, exitCode } from '../exit-code.ts'
import { oneLine } from '../session-text/plain-text.ts'
import { Conversation } from './conversation.ts'
import type { ReplDevices } from './repl-devices.ts'
import type { ReplOptions } from './repl-options.ts'

/** What `repl` does, on any terminal. */
export async function runRepl(options: ReplOptions, devices: ReplDevices): Promise<ExitCode> {
  const conversation = await Conversation.open(options, devices)
  const stopListening = devices.listen({
    ended: (how) => conversation.leave(how === 'signal' ? exitCode.interrupted : exitCode.fine),
    failed: (error) => conversation.fail(error),
    exiting: () => conversation.view.stop(),
  })
  try {
    const code = await conversation.untilLeft()
    return code
  } finally {
    await conversation.view.finish()
    conversation.view.stop()
    await conversation.close()
    stopListening()
    sayGoodbye(conversation, options)
  }
}

/** How to go on, and what was never sent. */
function sayGoodbye({ agent, screen, view }: Conversation, { say, goOn }: ReplOptions): void {
  for (const text of [...screen.queue, view.typed()]) if (text.trim() !== '') say(`not sent: ${oneLine(text)}`)
  if (agent.session.snapshot.length > 0) say(goOn(agent.session.id))
}
