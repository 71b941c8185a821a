import fc from 'fast-check'
import { PalimpsestError } from 'palimpsest'
import { describe, expect, it } from 'vitest'
import { parseAllow } from './permission/allow-rule.ts'
import {
  type AskPermission,
  type PermissionAnswer,
  type PermissionRequest,
  Permissions,
  sessionCovers,
} from './permissions.ts'

const command = (target: string): PermissionRequest => ({ tool: 'bash', kind: 'command', target })
const write = (target: string): PermissionRequest => ({ tool: 'write_file', kind: 'write', target })
const call = () => ({ id: 'c1', signal: new AbortController().signal })
const asking = (ask: AskPermission, allow: readonly string[] = []) => new Permissions({ allow, ask, root: '/w' })

/** Permissions after the user has answered `session` to this request. */
async function afterSession(request: PermissionRequest): Promise<Permissions> {
  const permissions = asking(async () => 'session')
  await permissions.check(request, call())
  return permissions
}

describe('rules of what is allowed', () => {
  it.each(['', 'writes', 'command:', 'command: ', 'bash', 'All'])('refuses %j, and says what works', (rule) => {
    expect(() => parseAllow(rule)).toThrow(PalimpsestError)
    expect(() => new Permissions({ allow: [rule], root: '/w' })).toThrow(/is no rule/)
  })

  it.each([
    ['all', command('rm -rf x; y'), true],
    ['all', write('.git/hooks/pre-commit'), true],
    ['write', write('src/a.ts'), true],
    ['write', write('.git/hooks/pre-commit'), false],
    ['write', write('sub/.GIT/config'), false],
    ['write', write('palimpsest.config.ts'), false],
    ['write', command('ls'), false],
    ['command', command('rm -rf x; y'), true],
    ['command', write('a'), false],
    ['command:npm test', command('npm test'), true],
    ['command:npm test', command('npm test -- --watch=false'), true],
    ['command:npm test', command('npm tests'), false],
    ['command:npm test', command('npm test; rm -rf x'), false],
    ['command:npm test', command('npm test && rm x'), false],
    ['command:npm test', command('npm test > out'), false],
    ['command:npm test', command('npm test $(rm x)'), false],
    ['command:npm test', command('npm test `rm x`'), false],
    ['command:npm test', command('npm test\nrm x'), false],
    ['command:npm test', command('A=b npm test'), false],
    ['command:npm test && npm run lint', command('npm test && npm run lint'), true],
    ['command:npm test && npm run lint', command('npm test && npm run lint x'), false],
    ['command:npm run *', command('npm run build'), true],
    ['command:npm run *', command('npm run build | sh'), false],
    ['command:*.sh', command('./build.sh'), true],
    ['command:*.sh', command('./build.sh x'), false],
  ])('%s: %j is %s', (rule, request, allowed) => {
    expect(new Permissions({ allow: [rule], root: '/w' }).allows(request)).toBe(allowed)
  })

  it('matches patterns in time that does not explode', () => {
    const permissions = new Permissions({ allow: [`command:${'*a'.repeat(60)}b`], root: '/w' })
    expect(permissions.allows(command('a'.repeat(5_000)))).toBe(false)
  })
})

describe('what is not allowed by a rule', () => {
  it('is denied where nobody can be asked, with the way in which a person would allow it', async () => {
    const permissions = new Permissions({ allow: [], root: '/w' })
    const reasons = await Promise.all(
      [write('a.ts'), write('.git/config'), command('npm test'), command('a | b')].map((request) =>
        permissions.check(request, call()),
      ),
    )
    expect(reasons.map((outcome) => !outcome.allowed && outcome.reason)).toEqual([
      expect.stringContaining('`--allow write`'),
      expect.stringContaining('`--allow all`'),
      expect.stringContaining('`--allow "command:npm test"`'),
      expect.stringContaining('`--allow command`'),
    ])
  })

  it('is asked about each time after `once`, and denied with the words of the user', async () => {
    const answers: PermissionAnswer[] = ['once', { denied: 'not on a Friday' }]
    const asked: PermissionRequest[] = []
    const permissions = asking(async (request) => {
      asked.push(request)
      return answers.shift() ?? 'once'
    })
    expect(await permissions.check(command('make'), call())).toEqual({ allowed: true })
    const second = await permissions.check(command('make'), call())
    expect(second).toEqual({ allowed: false, reason: expect.stringContaining('not on a Friday') })
    expect(asked).toEqual([command('make'), command('make')])
  })

  it('is asked one at a time, and not where the answer before allows it', async () => {
    const asked: string[] = []
    const permissions = asking(async ({ target }) => {
      asked.push(target)
      return 'session'
    })
    const outcomes = await Promise.all(['a', 'b', 'c'].map((path) => permissions.check(write(path), call())))
    expect(outcomes).toEqual([{ allowed: true }, { allowed: true }, { allowed: true }])
    expect(asked).toEqual(['a'])
  })

  it('rejects with the reason of the signal where whoever asks does not listen to it', async () => {
    const gone = new AbortController()
    const permissions = new Permissions({ allow: [], root: '/work', ask: () => new Promise(() => {}) })
    const request = { tool: 'bash', kind: 'command', target: 'rm x' } as const
    const outcome = permissions.check(request, { id: 'c', signal: gone.signal })
    gone.abort(new Error('gone'))
    await expect(outcome).rejects.toThrow('gone')
  })

  it.each([undefined, null, 'yes', true, { denied: 5 }])(
    'takes an answer that is none (%j) for a no',
    async (answer) => {
      const permissions = new Permissions({ allow: [], root: '/work', ask: async () => answer as never })
      const request = { tool: 'bash', kind: 'command', target: 'rm x' } as const
      const outcome = await permissions.check(request, { id: 'c', signal: new AbortController().signal })
      expect(outcome).toEqual({ allowed: false, reason: expect.stringContaining('did not allow this command.') })
    },
  )

  it('rejects with the reason of the signal while it waits for another answer', async () => {
    let answer: (given: PermissionAnswer) => void = () => {}
    const permissions = asking(
      () =>
        new Promise((resolve) => {
          answer = resolve
        }),
    )
    const first = permissions.check(command('x'), call())
    const aborting = new AbortController()
    const second = permissions.check(command('y'), { id: 'c2', signal: aborting.signal })
    aborting.abort(new Error('stop'))
    await expect(second).rejects.toThrow('stop')
    answer('once')
    expect(await first).toEqual({ allowed: true })
  })
})

describe('an answer for the whole session', () => {
  it('to a write allows all writes but those to files that decide what is allowed', async () => {
    const permissions = await afterSession(write('a/b.ts'))
    expect(permissions.allows(write('other.ts'))).toBe(true)
    expect(permissions.allows(write('.git/config'))).toBe(false)
    expect(permissions.allows(command('ls'))).toBe(false)
  })

  it('to a guarded file allows that file alone', async () => {
    const permissions = await afterSession(write('.git/config'))
    expect(permissions.allows(write('.git/config'))).toBe(true)
    expect(permissions.allows(write('.git/hooks/x'))).toBe(false)
    expect(permissions.allows(write('a.ts'))).toBe(false)
  })

  it.each([
    ['git status', 'git status src', true],
    ['git status', 'git status --short', false],
    ['git status', 'git status; rm -rf x', false],
    ['git status', 'git  status', true],
    ['git commit -m "one; two"', "git commit -m 'other words'", true],
    ['git commit -m one', 'git commit --amend -m one', false],
    ['git grep word', 'git grep -Ovi word', false],
    ['git diff', 'git diff --output=x', false],
    ['git push origin main', 'git push origin +main', false],
    ['git push origin main', 'git push origin main', true],
    ['npm test', 'npm test unit', true],
    ['npm test', 'npm test --script-shell=./x', false],
    ['npm run build', 'npm run build', true],
    ['npm run build', 'npm run deploy', false],
    ['npm run', 'npm run deploy', false],
    ['npm install left-pad', 'npm install other', false],
    ['make test', 'make test SHELL=./x', false],
    ['rm build', 'rm -rf /', false],
    ['rm build', 'rm build -rf /', false],
    ['rm -rf build', 'rm -rf build', true],
    ['bash build.sh', 'bash other.sh', false],
    ['sudo ls', 'sudo rm x', false],
    ['env ls', 'env rm x', false],
    ['ls', 'ls -la src', true],
    ['ls', 'ls > x', false],
    ['cat a', 'cat a | sh', false],
    ['cat a', 'cat $(rm x)', false],
    ['cat a', 'cat <(rm x)', false],
    ['ls | wc', 'ls | wc', true],
    ['ls | wc', 'ls | wc -l', false],
    ['npx vitest run', 'npx vitest run src', true],
    ['npx vitest run', 'npx other', false],
    ['git status', './git status', false],
    ['git status', 'PATH=. git status', false],
    ['git status', 'git status #x', false],
    ['git status', 'git status $X', false],
    ['git status', 'git status &', false],
    ['git add a', 'git add *', false],
    ['constructor x', 'constructor y', false],
  ])('to %j allows %j: %s', async (first, second, allowed) => {
    expect((await afterSession(command(first))).allows(command(second))).toBe(allowed)
  })

  it('allows the command itself again, whatever it is', async () => {
    await fc.assert(
      fc.asyncProperty(shellText(), async (text) => {
        expect((await afterSession(command(text))).allows(command(text))).toBe(true)
      }),
    )
  })

  it('allows nothing with operators that is not the command itself', async () => {
    const operator = fc.constantFrom(
      ';',
      '|',
      '&',
      '&&',
      '||',
      '\n',
      '>',
      '>>',
      '<',
      '$(',
      '`',
      '$X',
      '(',
      '{',
      '\\',
      '#',
      '\r',
      '!',
      '\u0085',
    )
    const remembered = ['git status', 'npm test', 'ls', 'cat a', 'git commit -m "a b"', 'npx vitest run']
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...remembered),
        operator,
        fc.string(),
        fc.boolean(),
        async (first, sign, rest, spaced) => {
          const permissions = await afterSession(command(first))
          expect(
            permissions.allows(command(`${first}${spaced ? ' ' : ''}${sign}${rest.replaceAll(/['"]/g, '')}`)),
          ).toBe(false)
        },
      ),
    )
  })

  it('allows no program and no option that was not seen', async () => {
    const word = fc.stringMatching(/^-{0,2}[a-z]{1,6}$/)
    await fc.assert(
      fc.asyncProperty(
        fc.array(word, { minLength: 1, maxLength: 4 }),
        fc.array(word, { maxLength: 4 }),
        async (first, rest) => {
          const before = ['git', 'log', ...first]
          const after = ['git', 'log', ...rest]
          const fresh = rest.some((one) => one.startsWith('-') && !first.includes(one))
          const permissions = await afterSession(command(before.join(' ')))
          expect(permissions.allows(command(after.join(' ')))).toBe(!fresh)
          expect(permissions.allows(command(['hg', ...after.slice(1)].join(' ')))).toBe(false)
        },
      ),
    )
  })

  it('is explained to the person before it is given', () => {
    expect(sessionCovers(command('git status'))).toBe('`git status …`, without options')
    expect(sessionCovers(command('git log --oneline -n 5'))).toBe('`git log …`, with no options but --oneline -n')
    expect(sessionCovers(command('ls -la'))).toBe('`ls …`')
    expect(sessionCovers(command('ls | sh'))).toBe('this command, word for word')
    expect(sessionCovers(write('a'))).toBe('all writes in the workspace')
    expect(sessionCovers(write('.git/config'))).toBe('writes to this file')
  })
})

function shellText(): fc.Arbitrary<string> {
  const piece = fc.constantFrom('git', 'status', 'ls', '-l', '|', ';', '"', "'", '$X', ' ', '\n', 'a=b', '\\', '*', '')
  return fc.array(piece, { minLength: 1, maxLength: 8 }).map((pieces) => pieces.join(' '))
}
