import type { CallbackManagerForLLMRun } from '@langchain/core/callbacks/manager'
import { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { type AIMessage, type BaseMessage, HumanMessage, SystemMessage, ToolMessage } from '@langchain/core/messages'
import type { ChatResult } from '@langchain/core/outputs'
import { RunnableLambda } from '@langchain/core/runnables'
import { DynamicTool } from '@langchain/core/tools'
import { RunCollectorCallbackHandler } from '@langchain/core/tracers/run_collector'

type Fields = Record<string, unknown>

/** A model that gives these answers, one after the other. */
class ScriptedModel extends BaseChatModel {
  readonly #answers: AIMessage[]

  constructor(answers: readonly AIMessage[]) {
    super({})
    this.#answers = [...answers]
  }

  _llmType(): string {
    return 'scripted'
  }

  async _generate(
    _messages: BaseMessage[],
    _options: this['ParsedCallOptions'],
    _manager?: CallbackManagerForLLMRun,
  ): Promise<ChatResult> {
    const message = this.#answers.shift()
    if (message === undefined) throw new Error('The script is over.')
    return {
      generations: [{ text: '', message }],
      llmOutput: { tokenUsage: { promptTokens: 50, completionTokens: 4 } },
    }
  }
}

/** The run of an agent that answers so, as LangChain's own tracer records it. A step whose answer has calls uses a tool. */
export async function tracedAgent(question: string, answers: readonly AIMessage[]): Promise<Fields> {
  const model = new ScriptedModel(answers)
  const tool = new DynamicTool({ name: 'look', description: 'Looks.', func: async (input) => `seen ${input}` })
  const agent = RunnableLambda.from<{ messages: BaseMessage[] }, { messages: BaseMessage[] }>(async (state, config) => {
    const messages = [...state.messages]
    for (const _ of answers) {
      const answer = await model.invoke([new SystemMessage('Work.'), ...messages], config)
      messages.push(answer)
      for (const call of answer.tool_calls ?? []) {
        const content = await tool.invoke(String(call.args.input), config)
        messages.push(new ToolMessage({ content, tool_call_id: call.id ?? '', name: call.name }))
      }
    }
    return { messages }
  })
  const collector = new RunCollectorCallbackHandler()
  await agent.invoke({ messages: [new HumanMessage(question)] }, { callbacks: [collector], runName: 'agent' })
  return JSON.parse(JSON.stringify(collector.tracedRuns[0])) as Fields
}

/** The run and those below it one by one, as a list of runs holds them. */
export function flatRuns({ child_runs: below, ...run }: Fields): Fields[] {
  return [run, ...(below as Fields[]).flatMap(flatRuns)]
}
