// The tools of the invented session, working on the invented project: what they answer follows from its files.

/** Each function gives `{ name, input, result, isError? }` and changes `files` where the tool would. */
export function workbench(files, random) {
  return {
    read(path, offset = 0, limit = 2_000) {
      const text = files.get(path)
      const input = offset > 0 ? { file_path: absolute(path), offset, limit } : { file_path: absolute(path) }
      if (text === undefined) return { name: 'Read', input, result: `No such file: ${absolute(path)}`, isError: true }
      return { name: 'Read', input, result: numbered(text, offset, limit) }
    },
    write(path, content) {
      files.set(path, content)
      return { name: 'Write', input: { file_path: absolute(path), content }, result: `Wrote ${absolute(path)}` }
    },
    edit(path, before, after) {
      const text = files.get(path) ?? ''
      const input = { file_path: absolute(path), old_string: before, new_string: after }
      if (!text.includes(before))
        return { name: 'Edit', input, result: 'old_string does not occur in the file.', isError: true }
      const changed = text.replace(before, () => after)
      files.set(path, changed)
      const line = text.slice(0, text.indexOf(before)).split('\n').length
      return {
        name: 'Edit',
        input,
        result: `Changed ${absolute(path)}. The place reads now:\n${numbered(changed, Math.max(0, line - 4), 12)}`,
      }
    },
    grep(pattern, folder) {
      const hits = [...files]
        .filter(([path]) => path.startsWith(folder))
        .flatMap(([path, text]) => matches(path, text, pattern))
      return {
        name: 'Grep',
        input: { pattern, path: absolute(folder), output_mode: 'content', '-n': true },
        result: hits.join('\n') || 'No matches',
      }
    },
    bash: (command, description, result, isError = false) => ({
      name: 'Bash',
      input: { command, description },
      result,
      isError,
    }),
    todos(items) {
      const todos = items.map(([content, status]) => ({ content, status, activeForm: content }))
      return { name: 'TodoWrite', input: { todos }, result: 'Todo list stored.' }
    },
    testRun: (failing) =>
      testRun(
        [...files.keys()].filter((path) => path.startsWith('test/')),
        failing,
        random,
      ),
    serviceLog: (lines) => serviceLog(lines, random),
    rows: (count) => rows(count, random),
  }
}

export const home = '/home/dev/ledger-service'

function absolute(path) {
  return `${home}/${path}`
}

function numbered(text, offset, limit) {
  const lines = text.split('\n').slice(offset, offset + limit)
  return lines.map((line, at) => `${String(offset + at + 1).padStart(5)}→${line}`).join('\n')
}

function matches(path, text, pattern) {
  const search = new RegExp(pattern)
  return text.split('\n').flatMap((line, at) => (search.test(line) ? [`${path}:${at + 1}:${line.trim()}`] : []))
}

function testRun(paths, failing, random) {
  const files = paths.map((path) => {
    const count = random.integer(6, 14)
    const cases = Array.from(
      { length: count },
      (_, at) => `    ✔ case ${at + 1} of ${path} (${random.integer(1, 90) / 10}ms)`,
    )
    return [`  ▶ ${path}`, ...cases].join('\n')
  })
  const failures = failing.map(([name, expected, found]) => {
    const place = `test/${name}.test.ts:${random.integer(20, 140)}:${random.integer(5, 20)}`
    return `  ✖ ${name}\n    AssertionError: expected ${expected}, found ${found}\n        at ${place}\n        at runTest (node:internal/test_runner/test:${random.integer(700, 990)}:25)`
  })
  return `${[...files, ...failures].join('\n')}\nℹ tests ${paths.length * 9}\nℹ fail ${failing.length}\nexit code ${failing.length > 0 ? 1 : 0}`
}

function serviceLog(count, random) {
  const messages = [
    'posting created',
    'rate fetched',
    'period locked',
    'statement closed',
    'retrying transaction',
    'webhook delivered',
  ]
  const line = (_, at) =>
    JSON.stringify({
      level: random.pick(['info', 'info', 'info', 'warn']),
      time: `2026-02-03T10:${String(Math.floor(at / 60) % 60).padStart(2, '0')}:${String(at % 60).padStart(2, '0')}.${random.integer(100, 999)}Z`,
      request: random.uuid(),
      account: `acc_${random.letters(12)}`,
      amountMinor: String(random.integer(-900_000, 9_000_000)),
      msg: random.pick(messages),
    })
  return Array.from({ length: count }, line).join('\n')
}

function rows(count, random) {
  const row = () =>
    ` ${random.uuid()} | ${random.pick(['EUR', 'USD', 'KWD', 'JPY', 'GBP'])} | ${String(random.integer(-5_000_000, 5_000_000)).padStart(9)} | ${random.pick(['open', 'locked'])}`
  return `                  id                  | cur |   minor   | period\n--------------------------------------+-----+-----------+--------\n${Array.from({ length: count }, row).join('\n')}\n(${count} rows)`
}
