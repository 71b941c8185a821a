// Reads the tables of check rules out of the dialects' sources: ids, what each demands, and what to do about it. The
// sources themselves are read, because what a rule demands stands in the comment above it.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'

const dialects = 'packages/palimpsest/src/dialects'

/** Rules of each table by the name of its region in docs/wire-formats.md: `{ id, says, fix }`. */
export function ruleTables(root) {
  const read = (folder) => sourcesIn(join(root, dialects, folder))
  const responses = read('openai-responses')
  return {
    'anthropic-rules': rulesByKey(read('anthropic-messages'), 'ANTHROPIC_RULES'),
    'bedrock-rules': rulesByKey(read('bedrock-converse'), 'BEDROCK_RULES'),
    'responses-rules': rulesById(responses, 'RESPONSES_RULES'),
    'codex-rules': rulesById(responses, 'CODEX_RULES'),
    'chat-rules': rulesById(read('openai-chat'), 'CHAT_RULES'),
    'gemini-rules': ruleObjects(read('gemini')),
    'ai-sdk-rules': ruleObjects(read('ai-sdk')),
    'langchain-rules': ruleObjects(read('langchain')),
  }
}

function sourcesIn(folder) {
  const names = readdirSync(folder).filter((name) => name.endsWith('.ts') && !/\.test(-data)?\.ts$/.test(name))
  return names.map((name) => parse(name, readFileSync(join(folder, name), 'utf8')))
}

export function parse(name, text) {
  return ts.createSourceFile(name, text, ts.ScriptTarget.ESNext, true)
}

/** `key: 'id'` under a comment; what to do stands where `violation(TABLE.key, place, text, fix)` is called. */
function rulesByKey(sources, table) {
  const fixes = new Map(sources.flatMap((source) => fixesIn(source, table)))
  return propertiesOf(sources, table).map((property) => ({
    id: property.initializer.text,
    says: commentAbove(property),
    fix: fixes.get(property.name.text) ?? fail(`${table}.${property.name.text} is never reported`),
  }))
}

function fixesIn(source, table) {
  return nodesIn(source).flatMap((node) => {
    if (!ts.isCallExpression(node) || node.expression.getText() !== 'violation') return []
    const [rule, , , fix] = node.arguments
    if (!ts.isPropertyAccessExpression(rule) || rule.expression.getText() !== table) return []
    return [[rule.name.text, textOf(fix, source)]]
  })
}

/** `'id': [message, fix]` under a comment. */
function rulesById(sources, table) {
  return propertiesOf(sources, table).map((property) => ({
    id: property.name.text,
    says: commentAbove(property),
    fix: textOf(property.initializer.elements[1]),
  }))
}

/** `const name = { id, fix, find }`, or `const name = batchRule(id, fix, faults)`, under a comment, in the order of the sources. */
function ruleObjects(sources) {
  const rules = sources.flatMap((source) =>
    nodesIn(source).flatMap((node) => {
      const rule = ts.isVariableDeclaration(node) && node.initializer && idAndFix(node.initializer)
      if (!rule) return []
      return [{ id: textOf(rule.id), says: commentAbove(node.parent.parent), fix: textOf(rule.fix) }]
    }),
  )
  return rules.length > 0 ? rules : fail('A dialect has no rules')
}

function idAndFix(value) {
  if (ts.isCallExpression(value) && value.expression.getText() === 'batchRule') {
    const [id, fix] = value.arguments
    return { id, fix }
  }
  if (!ts.isObjectLiteralExpression(value)) return undefined
  const fields = new Map(value.properties.map((one) => [one.name?.text, one.initializer]))
  const isRule = ['id', 'fix', 'find'].every((name) => fields.get(name) !== undefined)
  return isRule ? { id: fields.get('id'), fix: fields.get('fix') } : undefined
}

function propertiesOf(sources, table) {
  const declarations = sources.flatMap(nodesIn).filter(ts.isVariableDeclaration)
  let value = declarations.find((node) => node.name.text === table)?.initializer ?? fail(`There is no ${table}`)
  while (ts.isAsExpression(value) || ts.isSatisfiesExpression(value)) value = value.expression
  return value.properties
}

export function nodesIn(source) {
  const found = []
  const visit = (node) => {
    found.push(node)
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

/** A string, strings put together, or the name of a constant in the same file that is one. */
export function textOf(node, source) {
  if (ts.isStringLiteralLike(node)) return node.text
  if (ts.isBinaryExpression(node)) return textOf(node.left, source) + textOf(node.right, source)
  const named = source && nodesIn(source).find((one) => ts.isVariableDeclaration(one) && one.name.text === node.text)
  return named === undefined ? fail(`${node.getText()} is no text`) : textOf(named.initializer, source)
}

function commentAbove(node) {
  const [comment] = ts.getJSDocCommentsAndTags(node)
  const text = ts.getTextOfJSDocComment(comment?.comment) ?? fail(`Nothing stands above ${node.getText().slice(0, 60)}`)
  return text.replace(/\s*\n\s*/g, ' ')
}

function fail(message) {
  throw new Error(`${message}.`)
}
