import { shownPair } from './failure-item.ts'
import type { Failure } from './failure.ts'
import { isTestFile } from './measures/test-edits/test-file.ts'
import type { Pattern } from './pattern.ts'
import { type MismatchedFailure, mismatchedFailure } from './patterns/format-mismatch.ts'
import { ABORT, accept, another, goOn } from './question-options.ts'
import type { Allowance, Option, Raise } from './question.ts'
import { type RightSide, rulingWords } from './ruling.ts'
import type { State } from './state.ts'
import { shortened } from './wording.ts'

/** What a person can choose when the attempts did not succeed: two to four options that answer the pattern, one recommended. */
export function patternOptions(state: State, pattern: Pattern | undefined, raises: readonly Raise[]): readonly Option[] {
  const mismatched = pattern?.kind === 'format-mismatch' ? mismatchedFailure(state) : undefined
  if (mismatched) return [...mismatchOptions(mismatched, raises), ABORT]
  const advice = pattern && adviceFor(pattern)
  // That both must pass is a person's word; other advice the brief gives by itself, for as long as it holds.
  const isDecision = advice !== undefined && pattern !== undefined && isContradiction(pattern)
  const on = goOn(raises, {
    how: advice?.how,
    ...(isDecision ? { label: withLimits('Both must pass: go on', raises), guidance: advice.text } : {}),
    ...(pattern?.kind === 'agent-failed' ? { label: withLimits('The agent is mended: go on', raises) } : {}),
  })
  return [on, ...(pattern ? contradictionOption(state, pattern, raises) : []), accept(state), ABORT]
}

function withLimits(label: string, raises: readonly Raise[]): string {
  return [label, ...raises.map((raise) => raise.label)].join(', ')
}

function isContradiction({ kind }: Pattern): boolean {
  return kind === 'alternating-failures' || kind === 'fixed-one-broke-another'
}

export interface Advice {
  /** For the agent. */
  readonly text: string
  /** The same for a person, as the end of "The agent tries again". */
  readonly how: string
}

/** What to tell the agent about a pattern, so that the next attempt is another one; nothing where it has no say in it. */
export function adviceFor({ kind, evidence }: Pattern): Advice | undefined {
  const tests = quoted(evidence.tests)
  const files = evidence.files.slice(0, NAMED_MAX).join(', ')
  switch (kind) {
    case 'nothing-changed':
      return {
        text: 'You left every file as it was. Change what the goal needs, or say in one line what keeps you from it.',
        how: 'and is told that it changed nothing',
      }
    case 'alternating-failures':
    case 'fixed-one-broke-another':
      return {
        text: `These must pass together: ${tests}. Find one change that serves all of them before you edit anything.`,
        how: 'and is told that they must pass together',
      }
    case 'same-failure':
      return {
        text: `What you tried${files === '' ? '' : ` in ${files}`} did not touch the cause. Find out first why it fails, then change something else.`,
        how: 'and is told to find the cause before it edits',
      }
    case 'same-tests-other-message':
      return {
        text: `The message changed, so go on from the newest one; what fails is still ${tests}.`,
        how: 'and is told to go on from the newest message',
      }
    case 'same-file-every-time':
      return {
        text: `Editing ${files} again and again did not help. The cause may be elsewhere: look at what calls it and at what it calls.`,
        how: `and is told to look elsewhere than in ${files}`,
      }
    case 'getting-better':
      return { text: 'It gets better: go on in the same way, and keep what passes.', how: 'and is told to go on in the same way' }
    case 'format-mismatch':
      return {
        text: 'Code and test disagree about a type or a format. The test counts, unless a person says otherwise: do not change it.',
        how: 'and is told that the test counts',
      }
    default:
      return undefined
  }
}

const NAMED_MAX = 3

/** Tests that never pass together may contradict each other, which only a person can settle. */
function contradictionOption(state: State, pattern: Pattern, raises: readonly Raise[]): readonly Option[] {
  if (!isContradiction(pattern)) return []
  const tests = quoted(pattern.evidence.tests)
  return [
    another(
      goOn(raises, {
        choice: 'change-test',
        allows: changesOf(state, pattern.evidence.tests),
        label: 'They contradict each other: change the wrong test',
        guidance: `These tests may contradict each other: ${tests}. Change the one that does not fit the goal, only that one, and say which and why.`,
        how: 'and may change the test that does not fit the goal',
      }),
    ),
  ]
}

function mismatchOptions({ failure, mismatch }: MismatchedFailure, raises: readonly Raise[]): readonly Option[] {
  const [wanted, given] = shownPair(mismatch.expected, mismatch.received)
  const told = (right: RightSide): string => rulingWords({ test: failure.id, right }, wanted, given)
  return [
    goOn(raises, {
      choice: 'change-code',
      label: `${wanted} is right: change the code`,
      guidance: told('test'),
      how: 'and leaves the test as it is',
    }),
    another(
      goOn(raises, {
        choice: 'change-test',
        allows: changesIn([failure]),
        label: `${given} is right: change the test`,
        guidance: told('code'),
        how: 'and may change what this test expects',
      }),
    ),
    another(
      goOn(raises, {
        choice: 'accept-both',
        allows: changesIn([failure]),
        label: 'Both are right: let code and test accept either',
        guidance: told('both'),
        how: 'and may change the code and this test',
      }),
    ),
  ]
}

/** Changes to what these failing tests expect, in their own files, and to nothing else. */
function changesOf({ recent, baseline }: State, tests: readonly string[]): readonly Allowance[] {
  const failures = [...recent.flatMap((iteration) => iteration.failures), ...(baseline?.failures ?? [])]
  return changesIn(failures.filter(({ id }) => tests.includes(id)))
}

function changesIn(failures: readonly Failure[]): readonly Allowance[] {
  const files = [...new Set(failures.map(testFileOf))]
  return files.map((file) => ({ guard: 'tampering', kinds: ['weakened'], ...(file === undefined ? {} : { file }) }))
}

/** Some runners name the file in the id; where a failure names the code under test, that is not the file that may change. */
function testFileOf({ id, file }: Failure): string | undefined {
  return [file, id.split(/ > | › |::/)[0]].find((path) => path !== undefined && isTestFile(path))
}

function quoted(names: readonly string[]): string {
  const few = names.slice(0, NAMED_MAX).map((name) => `"${shortened(name, 80)}"`)
  return `${few.join(', ')}${names.length > NAMED_MAX ? ' and others' : ''}`
}
