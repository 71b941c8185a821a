import type { WireFormat } from '../format.ts'
import { anthropicMessagesFormat } from './anthropic-messages/index.ts'

/** Every API that the simulator speaks. */
export const FORMATS: readonly WireFormat[] = [anthropicMessagesFormat]
