import { createCompactor, DIALECTS, dialectByName, memoryStores } from 'palimpsest'
import { describe, expect, it } from 'vitest'
import { memorySessions } from './memory-sessions.ts'
import { anthropic, modelSays, toolCall, userSays } from './session.test-data.ts'
import { Session } from './session.ts'

const SECRET = 'hunter2-0451'
const OUTPUT = `Exit code: 3\npassword ${SECRET}\n`

/** A call and its result in each format, with the secret wherever a tool's own output may stand. */
const STEPS: Readonly<Record<string, readonly object[]>> = {
  'anthropic-messages': [
    userSays('hello'),
    toolCall('c'),
    {
      role: 'user',
      content: [
        {
          type: 'tool_result',
          tool_use_id: 'c',
          content: [
            { type: 'text', text: OUTPUT },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: SECRET } },
          ],
        },
      ],
    },
  ],
  'openai-chat': [
    userSays('hello'),
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'run', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'c', content: [{ type: 'text', text: OUTPUT }] },
  ],
  'openai-responses': responsesSteps(),
  'openai-codex': responsesSteps(),
  gemini: [
    { role: 'user', parts: [{ text: 'hello' }] },
    { role: 'model', parts: [{ functionCall: { name: 'run', args: {} } }] },
    {
      role: 'user',
      parts: [
        {
          functionResponse: {
            name: 'run',
            response: { output: OUTPUT, exit_code: 3 },
            parts: [{ inlineData: { mimeType: 'image/png', data: SECRET } }],
          },
        },
      ],
    },
  ],
  'bedrock-converse': [
    { role: 'user', content: [{ text: 'hello' }] },
    { role: 'assistant', content: [{ toolUse: { toolUseId: 'c', name: 'run', input: {} } }] },
    { role: 'user', content: [{ toolResult: { toolUseId: 'c', content: [{ text: OUTPUT }, { json: { SECRET } }] } }] },
  ],
  'ai-sdk': [
    { role: 'user', content: [{ type: 'text', text: 'hello' }] },
    { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'c', toolName: 'run', input: {} }] },
    {
      role: 'tool',
      content: [
        {
          type: 'tool-result',
          toolCallId: 'c',
          toolName: 'run',
          output: { type: 'json', value: { exitCode: 3, OUTPUT } },
        },
      ],
    },
  ],
  langchain: [
    { type: 'human', content: 'hello' },
    { type: 'ai', content: '', tool_calls: [{ type: 'tool_call', id: 'c', name: 'run', args: {} }] },
    { type: 'tool', tool_call_id: 'c', content: OUTPUT, artifact: { raw: OUTPUT } },
  ],
}

function responsesSteps(): readonly object[] {
  return [
    { type: 'message', role: 'user', content: 'hello' },
    { type: 'function_call', call_id: 'c', name: 'run', arguments: '{}' },
    {
      type: 'function_call_output',
      call_id: 'c',
      output: [
        { type: 'input_text', text: OUTPUT },
        { type: 'input_image', image_url: `data:image/png;base64,${SECRET}` },
      ],
    },
  ]
}

describe.each(DIALECTS.map(({ name }) => name))('E8 a session in %s that keeps no results of tools', (name) => {
  it('has them while the turn runs, and stores none of them', async () => {
    const dialect = dialectByName(name)
    const store = memorySessions().open()
    const session = await Session.create(store, 's', { dialect, toolResults: 'compact' })
    const stored = async () => JSON.stringify(await store.read('s'))
    session.startTurn()
    session.requestAction({ action: 'c', kind: 'tool', name: 'run', input: {} })
    session.completeAction('c', 'failed', { output: OUTPUT })
    session.appendItems(STEPS[name] ?? [])
    await session.commit()
    expect(JSON.stringify(await session.view())).toContain(SECRET)
    expect(await session.transcript()).toEqual(STEPS[name])
    expect(await stored()).not.toContain(SECRET)
    await session.endTurn('answered')
    expect(await stored()).not.toContain(SECRET)
    expect(JSON.stringify(await session.view())).not.toContain(SECRET)
    expect(JSON.stringify(await session.display())).not.toContain(SECRET)
    const items = await (await Session.open(store, 's')).transcript()
    expect(items).toEqual(await session.transcript())
    expect(dialect.check({ system: [], items })).toEqual([])
    const told = items.flatMap((item) => dialect.view(item).parts).filter(({ kind }) => kind === 'tool-result')
    expect(told.map((part) => part.text())).toEqual([expect.stringContaining('failed, exit code 3')])
  })
})

it('E8 a session that is compacted while it runs keeps them out of records, artifacts and histories too', async () => {
  const stores = memoryStores()
  const written: unknown[] = []
  const compactor = createCompactor<unknown>({
    dialect: anthropic,
    window: 8_000,
    toolResults: 'compact',
    reader: { tool: 'read_history' },
    cache: 'off',
    stores: {
      ...stores,
      records: { ...stores.records, commit: noting(written, stores.records.commit) },
      artifacts: { ...stores.artifacts, put: noting(written, stores.artifacts.put) },
      history: { ...stores.history, append: noting(written, stores.history.append) },
    },
  })
  const store = memorySessions().open()
  const session = await Session.create(store, 's', { dialect: anthropic, toolResults: 'compact' })
  const ask = async () => {
    const messages = await session.transcript()
    const prepared = await compactor.prepare({ model: 'claude-sonnet-4-5', max_tokens: 9, messages }, { session: 's' })
    if (prepared.record !== undefined) session.applyCompaction(prepared.record)
    expect(await session.view()).toEqual(anthropic.open(prepared.request).items)
  }
  for (const turn of [1, 2]) {
    session.startTurn()
    session.appendItems([userSays(`Read the files, part ${turn}.`)])
    for (let step = 0; step < 12; step++) {
      const id = `c${turn}-${step}`
      const content = [{ type: 'tool_result', tool_use_id: id, content: OUTPUT.repeat(60) }]
      session.appendItems([toolCall(id), { role: 'user', content }])
      await ask()
      await session.commit()
    }
    session.appendItems([modelSays('Done.')])
    await session.endTurn('answered')
  }
  expect(session.snapshot.compactions).toBeGreaterThan(0)
  expect(JSON.stringify(written).length).toBeGreaterThan(1_000)
  expect(JSON.stringify(written)).not.toContain(SECRET)
  expect(JSON.stringify(await store.read('s'))).not.toContain(SECRET)
})

/** The same call, with what it is given written down. */
function noting<Args extends readonly unknown[], Result>(
  written: unknown[],
  call: (...args: Args) => Result,
): (...args: Args) => Result {
  return (...args) => {
    written.push(args)
    return call(...args)
  }
}
