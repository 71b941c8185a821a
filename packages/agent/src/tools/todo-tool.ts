import { z } from 'zod'
import type { AgentTool } from './agent-tool.ts'

const STATES = ['pending', 'in_progress', 'completed'] as const

const input = z.strictObject({
  todos: z
    .array(
      z.strictObject({
        content: z.string().trim().min(1).max(500).describe('What is to be done, in a few words.'),
        status: z.enum(STATES),
      }),
    )
    .max(100)
    .describe('The whole list: it replaces the one before.'),
})

type Input = z.infer<typeof input>

/** The list of what is to be done. It lives in the conversation: each call holds the whole of it. */
export function todoTool(): AgentTool<Input> {
  return {
    name: 'todo_write',
    description: `Writes down the steps of a task, so that none is forgotten. Give the whole list each time, also when only \
one state changes. Use it for work of three steps or more; have one step in progress; mark a step completed as soon as it is.`,
    input,
    run: async ({ todos }) => ({ text: listText(todos), brief: briefOf(todos) }),
  }
}

const MARKS: Readonly<Record<Input['todos'][number]['status'], string>> = {
  pending: '[ ]',
  in_progress: '[~]',
  completed: '[x]',
}

function listText(todos: Input['todos']): string {
  if (todos.length === 0) return 'The list is empty.'
  return todos.map(({ content, status }) => `${MARKS[status]} ${content}`).join('\n')
}

function briefOf(todos: Input['todos']): string {
  const done = todos.filter(({ status }) => status === 'completed').length
  const current = todos.find(({ status }) => status === 'in_progress')
  return `${done} of ${todos.length} done${current === undefined ? '' : `: ${current.content}`}`
}
