type Fields = Readonly<Record<string, unknown>>

/** When the event of that number happened. */
export function timeOfEvent(id: number): string {
  return new Date(Date.UTC(2026, 0, 1) + id * 1_000).toISOString()
}

const base = (id: number, source: string) => ({ id, timestamp: timeOfEvent(id), source, message: 'for the screen' })

/** Something that is done. */
export function action(id: number, name: string, args: Fields, more: Fields = {}, source = 'agent') {
  return { ...base(id, source), action: name, args, ...more }
}

/** Something that is seen, because of the event `cause`. */
export function observation(id: number, name: string, cause: number, content: string, more: Fields = {}) {
  return { ...base(id, 'agent'), cause, observation: name, content, extras: {}, ...more }
}

export function userMessage(id: number, content: string, more: Fields = {}) {
  return action(id, 'message', { content, image_urls: null, ...more }, {}, 'user')
}

/** A response of the model that calls these tools: names by ids. */
export function response(id: string, calls: Readonly<Record<string, string>>, more: Fields = {}) {
  const tool_calls = Object.entries(calls).map(([call, name]) => ({
    id: call,
    type: 'function',
    function: { name, arguments: '{"path":"a"}' },
  }))
  return {
    id,
    model: 'model-a',
    choices: [{ index: 0, message: { role: 'assistant', content: `Say ${id}`, tool_calls, function_call: null } }],
    usage: { prompt_tokens: 100, completion_tokens: 7, prompt_tokens_details: { cached_tokens: 60 } },
    ...more,
  }
}

/** How an action, or what came of it, names its call. */
export function metadata(model_response: Fields | null, tool_call_id: string, function_name: string) {
  return { tool_call_metadata: { function_name, tool_call_id, model_response, total_calls_in_response: 1 } }
}

/** A call of one tool and its result: two events, of which the first has this number. */
export function step(id: number, call: string, name = 'read') {
  const about = metadata(response(`r${id}`, { [call]: name }), call, name)
  return [
    action(id, name, { path: 'a', thought: '' }, about),
    observation(id + 1, name, id, `seen ${id}`, about),
  ] as const
}

/** The messages of that step. */
export function stepItems(id: number, call: string, name = 'read') {
  const tool_calls = [{ id: call, type: 'function', function: { name, arguments: '{"path":"a"}' } }]
  return [
    { role: 'assistant', content: `Say r${id}`, tool_calls },
    { role: 'tool', tool_call_id: call, name, content: `seen ${id}` },
  ]
}

/** A line of an evaluation's results. */
export function evaluation(history: readonly unknown[], id = 'task-1') {
  return {
    instance_id: id,
    test_result: { git_patch: '' },
    metadata: { llm_config: { model: 'model-of-settings', api_key: 'k3y' } },
    history,
    metrics: { accumulated_cost: 0 },
    error: null,
  }
}
