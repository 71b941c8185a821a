import type { Reply, ReplyPart } from './format.ts'

/** The share of an answer's output tokens that its reasoning takes, by the length of its texts; a whole number. */
export function reasoningTokens(reply: Reply, output: number): number {
  const reasoning = reply.parts.filter((part) => part.kind === 'reasoning')
  const all = characters(reply.parts)
  return all === 0 ? 0 : Math.round((output * characters(reasoning)) / all)
}

function characters(parts: readonly ReplyPart[]): number {
  return parts.reduce((sum, part) => sum + partText(part).length, 0)
}

function partText(part: ReplyPart): string {
  return part.kind === 'tool-call' ? part.name + JSON.stringify(part.input) : part.text
}
