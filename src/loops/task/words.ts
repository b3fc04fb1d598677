import { sayingIn, type Words } from '../../core/saying.ts'
import { counted } from '../../core/wording.ts'
import { listWords, SHARED_WORDS } from '../shared/words.ts'
import type { TestsTrouble } from './test-first.ts'

interface Trouble {
  readonly trouble: TestsTrouble
  /** Files that are no tests. */
  readonly files?: readonly string[]
  readonly count?: number
}

/** What the task loop says to people. */
export const TASK_WORDS = {
  ...SHARED_WORDS,
  'tests.trouble': (values: Trouble) => troubleWords(values),
  'tests.ask': () => 'How should it continue?',
  'tests.again': ({ limits = [] }: { limits?: readonly string[] }) => ['Have the tests written again', ...limits].join(', '),
  'tests.again.after': () => 'The tests are written again, and the prompt says what was wrong.',
  'tests.without': ({ limits = [] }: { limits?: readonly string[] }) =>
    ['Begin the work without these tests', ...limits].join(', '),
  'tests.without.after': () => 'The work begins with the files as they are, and is proven as any other.',
  'tests.decided.accepted': ({ count }: { count: number }) =>
    `The tests are written, and ${counted(count, 'test')} ${count === 1 ? 'fails' : 'fail'} as wanted: the work begins.`,
  'tests.decided.again': (values: Trouble) => `${troubleWords(values)} They are written again.`,
} satisfies Words

/** Names a sentence of the task loop. */
export const taskSaying = sayingIn(TASK_WORDS)

function troubleWords({ trouble, files = [], count = files.length }: Trouble): string {
  switch (trouble) {
    case 'none':
      return 'No test was written before the work.'
    case 'others':
      return `Not only tests were changed before the work, but also ${listWords(files, count)}.`
    case 'syntax':
      return "The tests that were written before the work can't be read: they have a syntax error."
    case 'green':
      return 'The tests that were written before the work pass already, so they cannot tell whether the goal is reached.'
  }
}

/** What to do about them, for whoever writes the tests. */
export const TESTS_ADVICE: Readonly<Record<TestsTrouble, string>> = {
  none: 'You wrote no test that Pawl could find. Put tests where the checks run them.',
  others: 'You changed files that are not tests. Put them back as they were, and change tests only:',
  syntax: "Your tests can't be read: they have a syntax error. Fix it:",
  green: 'Your tests pass already, before any work. Write tests that fail until the goal is reached.',
}
