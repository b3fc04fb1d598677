import { ABORT, type Allowance, FALSE_ALARM, followedBy, type Option, type Raise } from '../../core/question.ts'
import type { State } from '../../core/state.ts'
import { shownPair } from '../../core/failure-item.ts'
import type { Failure } from '../../core/failure.ts'
import { isTestFile } from '../../core/measures/test-edits/test-file.ts'
import { mismatchedFailure, type MismatchedFailure, type Pattern } from './patterns.ts'
import type { RightSide, Ruling } from '../../core/ruling.ts'
import { shortened } from '../../core/wording.ts'
import { agentName } from '../../core/answered-config.ts'
import { isLimitTrip } from '../../core/limits.ts'
import { guardsIn, raisesOf, type Trip } from '../../core/trip.ts'

export interface GoOn {
  readonly choice?: string
  readonly label?: string
  /** What the person's choice tells the agent, from now on. */
  readonly guidance?: string
  /** Which side of a test is right, where `guidance` says that. */
  readonly ruling?: Ruling
  /** A stable name of what the choice settles. */
  readonly settles?: string
  /** What the choice lets the agent do: whoever asks for a change of a test is not asked about it again. */
  readonly allows?: readonly Allowance[]
  /** How the next attempt differs: "and is told that both must pass". */
  readonly how?: string | undefined
}

/** Go on: `guidance` is told to the agent, `raises` lift the limits that tripped. Recommended. */
export function goOn(
  raises: readonly Raise[],
  { choice = 'continue', label, guidance, ruling, settles, allows, how }: GoOn = {},
): Option {
  const limits = raises.map((raise) => raise.label).join(' and ')
  const option: Option = {
    choice,
    label: label ?? (limits === '' ? 'Go on' : `Go on, with ${limits}`),
    consequence: {
      kind: 'continue',
      raises,
      ...(allows === undefined ? {} : { allows }),
      ...(guidance === undefined ? {} : { guidance }),
      ...(ruling === undefined ? {} : { ruling }),
      ...(settles === undefined ? {} : { settles }),
    },
    recommended: true,
  }
  const words = ['The agent tries again', ...(limits === '' ? [] : [`with ${limits}`]), ...(how === undefined ? [] : [how])]
  return followedBy(option, `${words.join(', ')}.`)
}

/** The same, as one of several ways and not the recommended one. */
export function another(option: Option): Option {
  const { recommended: _first, ...rest } = option
  return rest
}

/** Take what is there. */
export function accept({ unit, current }: State, label = 'Accept the work as it is'): Option {
  const isLast = !unit || unit.index === unit.count - 1
  const then = isLast
    ? `The run is completed as it stands${current.ended?.verdict.passed ? '' : ', failing checks and all'}.`
    : 'This task counts as done as it stands, and the next task begins.'
  return followedBy({ choice: 'accept', label, consequence: { kind: 'accept' } }, then)
}

/** What a person can choose when the attempts did not succeed: two to four options that answer the pattern, one recommended. */
export function patternOptions(state: State, pattern: Pattern | undefined, raises: readonly Raise[]): readonly Option[] {
  const mismatched = pattern?.kind === 'format-mismatch' ? mismatchedFailure(state) : undefined
  if (mismatched) return [...mismatchOptions(mismatched, raises), ABORT]
  const advice = pattern && adviceFor(pattern)
  // That both must pass is a person's word; other advice the brief gives by itself, for as long as it holds.
  const isDecision = advice !== undefined && pattern !== undefined && isContradiction(pattern)
  const on = goOn(raises, {
    how: advice?.how,
    ...(isDecision
      ? { label: withLimits('Both must pass: go on', raises), guidance: advice.text, settles: contradictionOf(pattern) }
      : {}),
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
        settles: contradictionOf(pattern),
        guidance: `These tests may contradict each other: ${tests}. Change the one that does not fit the goal, only that one, and say which and why.`,
        how: 'and may change the test that does not fit the goal',
      }),
    ),
  ]
}

function mismatchOptions({ failure, mismatch }: MismatchedFailure, raises: readonly Raise[]): readonly Option[] {
  const [wanted, given] = shownPair(mismatch.expected, mismatch.received)
  const ruled = (right: RightSide): Pick<GoOn, 'guidance' | 'ruling' | 'settles'> => {
    const ruling = { test: failure.id, right, wanted, given }
    return { guidance: rulingWords(ruling), ruling, settles: `format:${failure.id}` }
  }
  return [
    goOn(raises, {
      choice: 'change-code',
      label: `${wanted} is right: change the code`,
      ...ruled('test'),
      how: 'and leaves the test as it is',
    }),
    another(
      goOn(raises, {
        choice: 'change-test',
        allows: changesIn([failure]),
        label: `${given} is right: change the test`,
        ...ruled('code'),
        how: 'and may change what this test expects',
      }),
    ),
    another(
      goOn(raises, {
        choice: 'accept-both',
        allows: changesIn([failure]),
        label: 'Both are right: let code and test accept either',
        ...ruled('both'),
        how: 'and may change the code and this test',
      }),
    ),
  ]
}

/** A ruling as the agent reads it. */
function rulingWords({ test, right, wanted, given }: Ruling): string {
  const where = `In "${shortened(test, RULING_NAME_LENGTH_MAX)}"`
  switch (right) {
    case 'test':
      return `${where} the test is right: change the code so that it gives ${wanted}.`
    case 'code':
      return `${where} the code is right: change the test so that it expects ${given}, and nothing else in it.`
    case 'both':
      return `${where} both are right: let the code take either form, and the test accept ${wanted} as well as ${given}.`
  }
}

const RULING_NAME_LENGTH_MAX = 100

/** A stable name of which tests contradict each other. */
function contradictionOf({ evidence }: Pattern): string {
  return `contradiction:${JSON.stringify(evidence.tests.slice(0, NAMED_MAX))}`
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

/** What the guards that decided let a person choose besides: to call them wrong, and to put their expert to work. */
export function guardOptions(state: State, trips: readonly Trip[]): readonly Option[] {
  return [...falseAlarm(trips), ...expert(state, trips)]
}

/** A limit is never a false alarm: where one tripped too, it is raised along with it. */
function falseAlarm(trips: readonly Trip[]): readonly Option[] {
  const disputes = [...new Set(trips.filter((trip) => !isLimitTrip(trip)).map(({ guard }) => guard))]
  if (disputes.length === 0) return []
  const names = disputes.join(' and ')
  const option: Option = {
    choice: FALSE_ALARM,
    label: `False alarm: ${names} should not have stopped it`,
    consequence: { kind: 'continue', raises: trips.filter(isLimitTrip).flatMap(raisesOf), disputes },
  }
  return [followedBy(option, `The agent tries again as before, and this is counted against ${names} (pawl stats).`)]
}

/** The guards were wrong not to believe a pass: it is taken as it is, and counted against them. */
export function believedAfterAll(state: State, disputes: readonly Trip[]): Option {
  const guards = [...new Set(disputes.map(({ guard }) => guard))]
  const names = guards.join(' and ')
  const taken = accept(state, `False alarm: accept it as done, ${names} should have believed it`)
  const option: Option = { ...taken, choice: FALSE_ALARM, consequence: { kind: 'accept', disputes: guards } }
  return followedBy(option, `${taken.then ?? ''} This is counted against ${names} (pawl stats).`.trim())
}

/** The first of the guards that has an expert who is not at work already. */
function expert({ config }: State, trips: readonly Trip[]): readonly Option[] {
  const now = JSON.stringify(config.agent)
  const found = trips.flatMap(guardsIn).flatMap((guard) => {
    const agent = config.experts?.[guard]
    return agent && JSON.stringify(agent) !== now ? [{ guard, agent }] : []
  })
  return found.slice(0, 1).map(({ guard, agent }) => {
    const name = agentName(agent)
    const label = `Go on with ${name}, the expert for ${guard}`
    const option: Option = { choice: 'expert', label, consequence: { kind: 'continue', raises: trips.flatMap(raisesOf), agent } }
    return followedBy(option, `${name} does the work from now on, and is told all that was tried.`)
  })
}
