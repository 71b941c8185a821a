import type { LanguageModelV3Prompt } from '@ai-sdk/provider'

/** A conversation of so many steps, of about 500 tokens each, that waits for the model. */
export function promptOf(steps: number): LanguageModelV3Prompt {
  const words = (seed: number) => Array.from({ length: 60 }, (_, at) => `value ${seed * 100 + at}`).join('\n')
  return [
    { role: 'system', content: 'You are careful.' },
    { role: 'user', content: [{ type: 'text', text: 'Read all files. Never touch the vault.' }] },
    ...Array.from(
      { length: steps },
      (_, step): LanguageModelV3Prompt => [
        {
          role: 'assistant',
          content: [
            { type: 'text', text: words(step + 500) },
            { type: 'tool-call', toolCallId: `c${step}`, toolName: 'read', input: { step } },
          ],
        },
        {
          role: 'tool',
          content: [
            {
              type: 'tool-result',
              toolCallId: `c${step}`,
              toolName: 'read',
              output: { type: 'text', value: words(step) },
            },
          ],
        },
      ],
    ).flat(),
  ]
}
