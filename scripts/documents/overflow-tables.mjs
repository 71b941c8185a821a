// Reads the table of overflow wordings out of its source.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { nodesIn, parse, textOf } from './rule-tables.mjs'

/** Wordings of both kinds, codes, and patterns, as they stand in the source. */
export function overflowTables(root) {
  const path = join(root, 'packages/palimpsest/src/dialects/overflow-table.ts')
  const source = parse(path, readFileSync(path, 'utf8'))
  return {
    output: wordings(source, 'OUTPUT_WORDINGS'),
    input: wordings(source, 'INPUT_WORDINGS'),
    codes: strings(source, 'INPUT_CODES'),
    bytes: patterns(source, 'BYTES_WORDINGS'),
    reasoning: patterns(source, 'REASONING_BOUND'),
    vetoStatuses: numbers(source, 'VETO_STATUSES'),
    vetoes: patterns(source, 'VETO_WORDINGS'),
    caps: patterns(source, 'CAP_WORDINGS'),
  }
}

function wordings(source, name) {
  const calls = inside(source, name).filter((node) => ts.isCallExpression(node) && node.expression.text === 'wording')
  return calls.map(({ arguments: [provider, pattern] }) => ({ provider: textOf(provider), pattern: textOf(pattern) }))
}

function strings(source, name) {
  return inside(source, name)
    .filter(ts.isStringLiteralLike)
    .map((node) => node.text)
}

function numbers(source, name) {
  return inside(source, name)
    .filter(ts.isNumericLiteral)
    .map((node) => node.text)
}

function patterns(source, name) {
  return inside(source, name)
    .filter(ts.isRegularExpressionLiteral)
    .map((node) => node.text)
}

function inside(source, name) {
  const declaration = nodesIn(source).find((node) => ts.isVariableDeclaration(node) && node.name.text === name)
  return nodesIn(declaration.initializer)
}
