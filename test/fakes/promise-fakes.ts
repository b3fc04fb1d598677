import { FAKES, type Fake, type FakeOptions } from './fakes.ts'
import { nodeGreen, nodeTest } from './projects.ts'

const DONE = 'Everything is done.\n<promise>COMPLETE</promise>'
const OPEN = '2 items open, so no <promise>COMPLETE</promise> yet'

/** Ways to have a promise believed without the work, by the class of the trick. Each is tried with `pawl ralph` and in a session with hooks. */
const TRICKS: Readonly<Record<string, Fake>> = {
  'green from the start': ['a comment, and the promise', nodeGreen, (h) => h.append('src/add.js', '// median\n')],
  'the completed tree is not the checked one': known('while the check runs', 'the code rewrites its test when it is loaded'),
  'tests that did not run': known('tests that did not run', 'the code ends the process'),
  'what the check runs': known('what the check runs', 'the script behind make'),
  'a diff that is cut': known('git', 'a large lock file before the test in the diff'),
  'an exam of its own': ['empties the checks of pawl.yaml', nodeTest, (h) => h.write('pawl.yaml', 'agent: claude\nchecks: []\n')],
  'a promise that is only mentioned': [
    'does the work, and says that it is not done',
    nodeTest,
    (h, iteration) => (iteration > 1 ? undefined : h.replace('src/add.js', 'a - b', 'a + b')),
    { promise: OPEN },
  ],
  'nobody worked on it': ['changes nothing, and the promise', nodeGreen, () => undefined],
}

function known(kind: string, name: string): Fake {
  const fake = FAKES[kind]?.find(([how]) => how === name)
  if (!fake) throw new Error(`There is no way to fake a pass called "${name}".`)
  return fake
}

function told(options: FakeOptions): Readonly<Record<string, readonly Fake[]>> {
  return Object.fromEntries(
    Object.entries(TRICKS).map(([kind, [how, project, work, own]]) => [
      kind,
      [[how, project, work, { promise: DONE, ...own, ...options }] satisfies Fake],
    ]),
  )
}

/** Against `pawl ralph`. */
export const RALPH_FAKES = told({})

/** Against a session whose hook answers; the agent itself binds the run. */
export const HOOK_FAKES: Readonly<Record<string, readonly Fake[]>> = {
  ...told({ session: {} }),
  'an exam of its own': [
    ...(told({ session: {} })['an exam of its own'] ?? []),
    [
      'binds a run with `--check true`',
      nodeTest,
      (h) => h.append('src/add.js', '// done\n'),
      { promise: DONE, session: { check: ['true'], maxIterations: '100' } },
    ],
  ],
}

const keeps: Fake[2] = (h) => h.replace('src/add.js', 'a - b', 'a + b')

/** What shows that the others are caught for what they did: the same with the work done. */
export const KEPT: readonly (readonly [where: string, fake: Fake])[] = [
  ['by Ralph', ['does the work, and the promise', nodeTest, keeps, { promise: DONE }]],
  ['by a hook', ['does the work, and the promise', nodeTest, keeps, { promise: DONE, session: {} }]],
]
