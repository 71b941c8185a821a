import { describe, expect, it } from 'vitest'
import { createdEntryId, foldPlan, type PlanEvent, readPlanChange } from './plan-change.ts'

function plan(...calls: readonly (readonly [tool: string, args: unknown, id?: string])[]) {
  const events = calls.flatMap(([tool, args, id]): PlanEvent[] => {
    const change = readPlanChange(tool, args)
    return change === undefined ? [] : [id === undefined ? { change } : { change, id }]
  })
  return foldPlan(events).map((entry) => `${entry.state} ${entry.text}`)
}

describe('the plan of a session', () => {
  it('is what the last list says', () => {
    const todos = [
      { content: 'a', status: 'completed' },
      { content: 'b', status: 'in_progress' },
    ]
    expect(plan(['TodoWrite', { todos: [{ content: 'old' }] }], ['TodoWrite', { todos }])).toEqual([
      'done a',
      'active b',
    ])
    expect(plan(['update_plan', { plan: [{ step: 'x', status: 'pending' }] }])).toEqual(['pending x'])
    expect(plan(['todo_write', { todos: '- [x] one\n- [ ] two' }])).toEqual(['done one', 'pending two'])
  })

  it('follows entries that are created and moved one by one', () => {
    expect(
      plan(
        ['TaskCreate', { subject: 'first' }, '1'],
        ['TaskCreate', { subject: 'second' }, '7'],
        ['TaskCreate', { subject: 'third' }],
        ['TaskUpdate', { taskId: '7', status: 'in_progress' }],
        ['TaskUpdate', { taskId: '1', status: 'deleted' }],
      ),
    ).toEqual(['active second', 'pending third'])
    expect(createdEntryId('Task #7 created successfully: second')).toBe('7')
  })

  it('is found inside a script', () => {
    expect(plan(['exec', 'await tools.update_plan({plan:[{step:"say \\"hi\\"", "status":"in_progress"}]})'])).toEqual([
      'active say "hi"',
    ])
  })

  it('takes other tools for none', () => {
    expect(readPlanChange('Bash', { command: 'todo' })).toBeUndefined()
    expect(readPlanChange('Task', { description: 'x', prompt: 'y' })).toBeUndefined()
  })
})
