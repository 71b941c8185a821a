import { fieldsOf } from '../../dialects/json-fields.ts'
import type { ToolArgument } from '../../stores/history-tools.ts'

/** The arguments of a tool as a Standard Schema with its JSON Schema, which both AI SDKs take without a library. */
export interface ToolInput<Input> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: 'palimpsest'
    readonly types?: { readonly input: Input; readonly output: Input } | undefined
    /** The arguments as the tool takes them, or what is wrong with them. */
    validate(value: unknown): { readonly value: Input } | { readonly issues: readonly { readonly message: string }[] }
    readonly jsonSchema: {
      /** The schema that the model is shown: a new object each time. */
      input(): Record<string, unknown>
      /** The same: nothing is converted. */
      output(): Record<string, unknown>
    }
  }
}

/** The schema of a tool with these arguments. `null` counts as left out: some models fill in what they do not need. */
export function toolInput<Input>(
  properties: { readonly [Name in keyof Required<Input>]: ToolArgument },
  required: readonly (keyof Input & string)[] = [],
): ToolInput<Input> {
  // a new one each time: the SDK writes into it
  const schema = () => structuredClone({ type: 'object', properties, required, additionalProperties: false })
  return {
    '~standard': {
      version: 1,
      vendor: 'palimpsest',
      validate: (value) => validated(fieldsOf(value), properties, required),
      jsonSchema: { input: schema, output: schema },
    },
  }
}

function validated<Input>(
  fields: Readonly<Record<string, unknown>>,
  properties: Readonly<Record<string, ToolArgument>>,
  required: readonly string[],
): { readonly value: Input } | { readonly issues: readonly { readonly message: string }[] } {
  const given = Object.entries(properties).filter(([name]) => fields[name] !== undefined && fields[name] !== null)
  const wrong = given
    .filter(([name, argument]) => !fits(fields[name], argument))
    .map(([name, one]) => expected(name, one))
  const missing = required
    .filter((name) => !given.some(([known]) => known === name))
    .map((name) => `${name} is missing`)
  const issues = [...missing, ...wrong].map((message) => ({ message }))
  if (issues.length > 0) return { issues }
  return { value: Object.fromEntries(given.map(([name]) => [name, fields[name]])) as Input }
}

function fits(value: unknown, argument: ToolArgument): boolean {
  if (argument.type === 'string') return typeof value === 'string'
  return Number.isSafeInteger(value) && (value as number) >= argument.minimum && (value as number) <= most(argument)
}

function most(argument: Extract<ToolArgument, { type: 'integer' }>): number {
  return argument.maximum ?? Number.MAX_SAFE_INTEGER
}

function expected(name: string, argument: ToolArgument): string {
  if (argument.type === 'string') return `${name} must be a text`
  const to = argument.maximum === undefined ? '' : ` to ${argument.maximum}`
  return `${name} must be a whole number from ${argument.minimum}${to}`
}
