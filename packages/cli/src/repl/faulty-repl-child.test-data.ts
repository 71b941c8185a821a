// A program: the terminal agent on an agent with a fault of ours, in `send` or where nobody awaits it. What is left of the
// terminal after it is looked at by a test.
import { memorySessions, Session } from '@palimpsest/sessions'
import { aiSdk, type Dialect } from 'palimpsest'
import { reportError } from '../error-report.ts'
import { processTerminal } from '../terminal.ts'
import { repl } from './repl.ts'
import { modelNamed, PlayedAgent } from './virtual-repl.test-data.ts'

const terminal = processTerminal()
const sessions = memorySessions().open()
const session = await Session.create(sessions, 'faulty', { dialect: aiSdk as unknown as Dialect<unknown, object> })

process.exitCode = await repl({
  async open(ports) {
    const agent = new PlayedAgent(session, ports, sessions)
    agent.send = async (text) => {
      if (text === 'throw') throw new TypeError('A fault of ours')
      setImmediate(() => {
        throw new TypeError('A fault that nobody awaits')
      })
      return new Promise(() => {})
    }
    return {
      agent,
      sessions,
      openModel: async (name) => modelNamed(name),
      resume: async () => agent,
      close: async () => {},
    }
  },
  cwd: process.cwd(),
  color: true,
  say: (line) => terminal.say(line),
  goOn: (id) => `palimpsest --resume ${id}`,
}).catch((error) => reportError(error, terminal))
