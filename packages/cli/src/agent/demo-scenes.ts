/** What the simulated model does next: what it thinks, says and calls. Without a call its turn is over. */
export interface DemoReply {
  readonly thinks?: string
  readonly says: string
  readonly calls?: readonly (readonly [tool: string, input: object])[]
}

/** A place in a scene, with what the tools said that the step before it called. */
export interface SceneStep {
  readonly scene: SceneName
  readonly step: number
  readonly results: string
}

export const SCENE_NAMES = ['mend', 'test', 'talk'] as const

export type SceneName = (typeof SCENE_NAMES)[number]

/** What the model answers there. */
export function demoReply({ scene, step, results }: SceneStep): DemoReply {
  return scenes[scene][step]?.(results) ?? talk()
}

/** One step of a scene, given what the tools said that the step before it called. */
type DemoStep = (results: string) => DemoReply

/** What the demo begins with. */
export const DEMO_PROMPT = 'The report is off by some cents. Find out why, mend it, and show that it is mended.'

/** The scene that answers these words of the user. */
export function sceneFor(words: string): SceneName {
  if (/\b(mend|fix|bug|fault|cents?|wrong)\b/i.test(words)) return 'mend'
  return /\btests?\b/i.test(words) ? 'test' : 'talk'
}

/** Steps are found again by their number: they only move when the demo is another one. */
const scenes: Readonly<Record<SceneName, readonly DemoStep[]>> = {
  mend: mendingSteps(),
  test: testingSteps(),
  talk: [talk],
}

function mendingSteps(): readonly DemoStep[] {
  return [
    () => ({
      thinks: 'Cents that go missing: money in floating point, most likely. Before I guess I look at what there is.',
      says: 'I look at the project first.',
      calls: [['list_files', { path: '.' }]],
    }),
    (files) =>
      files.includes('money.js')
        ? {
            says: 'A small program: it reads a journal of visits and adds up dues. I read how amounts come into it.',
            calls: readFiles('README.md', 'src/money.js', 'src/read-journal.js'),
          }
        : strangeFolder(),
    () => ({
      thinks:
        'parseAmount multiplies by 100 and truncates. 8.29 * 100 is 828.9999999999999. The tests should see that.',
      says: 'I have a suspicion. The tests will tell whether it is right.',
      calls: [['bash', { command: 'node --test' }]],
    }),
    (tests) =>
      doPass(tests)
        ? { says: `The tests pass: there is nothing to mend any more. ${WHAT_TO_TRY}` }
        : {
            says: 'It is: `8.29` becomes 828 cents. I look where amounts are used before I change how they are read.',
            calls: [['search_files', { pattern: 'Amount\\(' }], ...readFiles('src/report.js', 'src/dues.js')],
          },
    () => ({
      thinks: 'Only what is taken at the pier goes through parseAmount; dues are whole cents already.',
      says: 'How much is lost in the real journal? I run the report, and read the lines behind it.',
      calls: [['bash', { command: REPORT }], ...readFiles('data/journal.csv')],
    }),
    () => ({
      says: 'Many lines lose a cent each. I read what the tests ask for, so that I add what they do not.',
      calls: readFiles('test/money.test.js', 'test/report.test.js'),
    }),
    () => ({
      thinks:
        'Math.round is right here: the text has two digits at most, so the product is within a hair of a whole number.',
      says: 'It is one word: the product is rounded, not cut off.',
      calls: [
        [
          'edit_file',
          {
            path: 'src/money.js',
            old_text: 'Math.trunc(Number(text) * 100)',
            new_text: 'Math.round(Number(text) * 100)',
          },
        ],
      ],
    }),
    () => ({
      says: 'A test for more of these amounts, since two of them were not enough to be sure.',
      calls: [
        [
          'edit_file',
          {
            path: 'test/money.test.js',
            old_text: "  assert.equal(parseAmount('-0.29'), -29)\n",
            new_text:
              "  assert.equal(parseAmount('-0.29'), -29)\n" +
              '  for (let cents = 0; cents < 100_000; cents += 1) assert.equal(parseAmount(formatAmount(cents)), cents)\n',
          },
        ],
      ],
    }),
    () => ({ says: 'And now both, tests and report.', calls: [['bash', { command: `node --test && ${REPORT}` }]] }),
    (tests) => ({ says: doPass(tests) ? MENDED : NOT_MENDED }),
  ]
}

const REPORT = 'node src/main.js data/journal.csv'

function testingSteps(): readonly DemoStep[] {
  return [
    () => ({ says: 'I run the tests.', calls: [['bash', { command: 'node --test' }]] }),
    (tests) => ({ says: `${doPass(tests) ? 'All of them pass.' : 'Not all of them pass.'} ${WHAT_TO_TRY}` }),
  ]
}

function talk(): DemoReply {
  return { says: `I am a simulated model, and what I do is written down beforehand. ${WHAT_TO_TRY}` }
}

/** In a folder that is not the one it was written for. */
function strangeFolder(): DemoReply {
  return {
    says: `I am a simulated model, and I know one project: the one that \`npm run demo\` makes, in a clone of Palimpsest. Here I leave everything as it is. ${WHAT_TO_TRY}`,
  }
}

function readFiles(...paths: readonly string[]): readonly (readonly [string, object])[] {
  return paths.map((path) => ['read_file', { path }])
}

/** Node's test runner ends with a count of what failed. */
function doPass(tests: string): boolean {
  return /\bfail 0\b/.test(tests)
}

const WHAT_TO_TRY = `What you can try here:

- \`/context\` shows how full the window is, and with what
- \`/compact the tests\` compacts now, with a summary that says more of the tests
- \`/undo\` goes back, before a turn or before a compaction
- \`/cost\` adds up what the session took
- *run the tests*, or *mend it* after an \`/undo\`, are prompts that I know

With a model that thinks for itself: \`palimpsest --model anthropic:claude-sonnet-5\`.`

const MENDED = `**Mended**, and the tests say so.

- **Cause**: \`parseAmount\` cut the product off. \`8.29 * 100\` is 828.9999999999999 in floating point, and that is 828.
- **Change**: \`src/money.js\` rounds instead; all amounts up to 1,000.00 are tested now.
- **Effect**: the report has every cent that was taken at the pier.

In the middle of it the window was nearly full, and the conversation was compacted: I went on from a summary, and the session still has every word. ${WHAT_TO_TRY}`

const NOT_MENDED = `The tests still fail. Perhaps a change was not allowed? Ask me to *mend it* again. ${WHAT_TO_TRY}`
