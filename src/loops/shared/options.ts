import { type Allowance, FALSE_ALARM, type Option, type Raise } from '../../core/question.ts'
import { optionOf, type Saying, type Words } from '../../core/saying.ts'
import { ABORT } from '../../core/words.ts'
import { ADVICE, GUIDANCE, type How, saying, SHARED_WORDS } from './words.ts'
import { withRaises } from '../../core/raises.ts'
import type { State } from '../../core/state.ts'
import { runOdds } from '../../guards/odds/own-odds.ts'
import { shownPair } from '../../core/failure-item.ts'
import type { Failure } from '../../core/failure.ts'
import { isUntouched } from '../../core/measures/last-iterations.ts'
import { isTestFile } from '../../core/measures/test-file.ts'
import { mismatchedFailure, type MismatchedFailure, type Pattern } from './patterns.ts'
import type { RightSide, Ruling } from '../../core/ruling.ts'
import { shortened } from '../../core/wording.ts'
import { agentName } from '../../core/run-config.ts'
import { guardsIn, isLimitTrip, raisesOf, type Trip } from '../../core/trip.ts'

export interface GoOn {
  readonly choice?: string
  /** What it is called, as a sentence of `words`. */
  readonly label?: Saying
  /** What happens after it is chosen, as a sentence of `words`. Default: the agent tries again. */
  readonly after?: Saying
  /** Default: the words that all loops share. */
  readonly words?: Words
  /** What the person's choice tells the agent, from now on. */
  readonly guidance?: string
  /** Which side of a test is right, where `guidance` says that. */
  readonly ruling?: Ruling
  /** A stable name of what the choice settles. */
  readonly settles?: string
  /** What the choice lets the agent do: whoever asks for a change of a test is not asked about it again. */
  readonly allows?: readonly Allowance[]
  /** How the next attempt differs. */
  readonly how?: How | undefined
  /** The files that `how` speaks of. */
  readonly files?: string
  /** Set if the brief says what to put back. */
  readonly putsBack?: true
}

/** Continue: the agent reads `guidance`, `raises` lift the limits that tripped. Recommended. */
export function goOn(raises: readonly Raise[], given: GoOn = {}): Option {
  const { choice = 'continue', words = SHARED_WORDS, guidance, ruling, settles, allows, how, files, putsBack } = given
  const limits = limitsOf(raises)
  const values = {
    ...limits,
    ...(how === undefined ? {} : { how }),
    ...(files === undefined ? {} : { files }),
    ...(putsBack ? { putsBack } : {}),
  }
  return optionOf(words, {
    choice,
    label: given.label ?? saying('go-on.label', limits),
    after: given.after ?? saying('go-on.after', values),
    consequence: {
      kind: 'continue',
      raises,
      ...(allows === undefined ? {} : { allows }),
      ...(guidance === undefined ? {} : { guidance }),
      ...(ruling === undefined ? {} : { ruling }),
      ...(settles === undefined ? {} : { settles }),
    },
    recommended: true,
  })
}

/** What the limits are raised to, as sentences have it. */
export function limitsOf(raises: readonly Raise[]): { readonly limits?: readonly string[] } {
  return raises.length === 0 ? {} : { limits: raises.map(({ label }) => label) }
}

/** The same, as one of several ways and not the recommended one. */
export function another(option: Option): Option {
  const { recommended: _first, ...rest } = option
  return rest
}

/** How to take what is there differs in its texts only. */
export interface Accept {
  readonly label?: Saying
  readonly after?: Saying
  /** Default: the words that all loops share. */
  readonly words?: Words
  /** Guards that were wrong not to believe a pass. */
  readonly disputes?: readonly string[]
}

/** Take what is there. */
export function accept(state: State, { label, after, words = SHARED_WORDS, disputes }: Accept = {}): Option {
  const guards = disputes === undefined ? {} : { guards: namesOf(disputes) }
  return optionOf(words, {
    choice: disputes === undefined ? 'accept' : FALSE_ALARM,
    label: label ?? saying('accept.label'),
    after: after ?? saying('accept.after', { ...acceptedNow(state), ...guards }),
    consequence: { kind: 'accept', ...(disputes === undefined ? {} : { disputes }) },
  })
}

function acceptedNow({ unit, current }: State): { readonly isLast: boolean; readonly isPassing: boolean } {
  const isLast = !unit || unit.index === unit.count - 1
  return { isLast, isPassing: current.ended?.verdict.passed === true }
}

function namesOf(guards: readonly string[]): string {
  return guards.join(' and ')
}

/** What a person can choose when the attempts did not succeed: two to four options that answer the pattern, one recommended. */
export function patternOptions(
  state: State,
  pattern: Pattern | undefined,
  raises: readonly Raise[],
  trips: readonly Trip[] = [],
): readonly Option[] {
  const mismatched = pattern?.kind === 'format-mismatch' ? mismatchedFailure(state) : undefined
  if (mismatched) return [...mismatchOptions(mismatched, raises), ABORT]
  const advice = pattern && adviceFor(pattern)
  const limits = limitsOf(raises)
  // That both must pass is a person's word; other advice the brief gives by itself, for as long as it holds.
  const isDecision = advice !== undefined && pattern !== undefined && isContradiction(pattern)
  const on = goOn(raises, {
    ...(advice ? { how: advice.how, files: advice.files } : {}),
    ...(isDecision ? { label: saying('go-on.together', limits), guidance: advice.text, settles: contradictionOf(pattern) } : {}),
    ...(pattern?.kind === 'agent-failed' ? { label: saying('go-on.agent-mended', limits) } : {}),
  })
  // What a person settles, or fixes outside, changes the odds.
  const isAdvised = isDecision || pattern?.kind === 'agent-failed' || !isHopeless(state, raises, trips)
  return [isAdvised ? on : another(on), ...(pattern ? contradictionOption(state, pattern, raises) : []), accept(state), ABORT]
}

/** Whether more of the same is unlikely to help: a guard says so, no attempt changed anything, or the chance with the raised limits is known to be small. */
function isHopeless(state: State, raises: readonly Raise[], trips: readonly Trip[]): boolean {
  if (trips.flatMap(guardsIn).some((guard) => STUCK_GUARDS.has(guard))) return true
  if (state.recent.length > 0 && state.recent.every((iteration) => isUntouched(state, iteration))) return true
  const odds = runOdds({ ...state, config: withRaises(state.config, raises).config })
  return odds?.status === 'known' && odds.chance < CHANCE_ADVISED_MIN
}

const STUCK_GUARDS: ReadonlySet<string> = new Set(['circuitBreaker', 'emptyIterations'])

const CHANCE_ADVISED_MIN = 0.05

function isContradiction({ kind }: Pattern): boolean {
  return kind === 'alternating-failures' || kind === 'fixed-one-broke-another'
}

export interface Advice {
  /** For the agent. */
  readonly text: string
  /** The same for a person, as the end of "The agent tries again". */
  readonly how: How
  /** The files that it speaks of. */
  readonly files: string
}

/** What to tell the agent about a pattern, so that the next attempt is another one; nothing where it has no say in it. */
export function adviceFor({ kind, evidence }: Pattern): Advice | undefined {
  const files = evidence.files.slice(0, NAMED_MAX).join(', ')
  const advice = ADVICE[kind]
  return advice && { text: advice.text(quoted(evidence.tests), files), how: advice.how, files }
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
        label: saying('go-on.wrong-test'),
        settles: contradictionOf(pattern),
        guidance: GUIDANCE.wrongTest(tests),
        how: 'wrong-test',
      }),
    ),
  ]
}

function mismatchOptions({ failure, mismatch }: MismatchedFailure, raises: readonly Raise[]): readonly Option[] {
  const [wanted, given] = shownPair(mismatch.expected, mismatch.received)
  const ruled = (right: RightSide): Pick<GoOn, 'guidance' | 'ruling' | 'settles'> => {
    const ruling = { test: failure.id, right, wanted, given }
    return { guidance: GUIDANCE.ruling(ruling), ruling, settles: mismatchOf(failure.id) }
  }
  return [
    goOn(raises, {
      choice: 'change-code',
      label: saying('go-on.change-code', { wanted }),
      ...ruled('test'),
      how: 'keep-test',
    }),
    another(
      goOn(raises, {
        choice: 'change-test',
        allows: changesIn([failure]),
        label: saying('go-on.change-test', { given }),
        ...ruled('code'),
        how: 'this-test',
      }),
    ),
    another(
      goOn(raises, {
        choice: 'accept-both',
        allows: changesIn([failure]),
        label: saying('go-on.accept-both'),
        ...ruled('both'),
        how: 'both',
      }),
    ),
  ]
}

/** A stable name of what a person can settle about the attempts: which side is right, or which tests contradict each other. */
export function subjectOf(pattern: Pattern): string | undefined {
  if (pattern.kind === 'format-mismatch') return mismatchOf(pattern.evidence.tests[0] ?? '')
  return isContradiction(pattern) ? contradictionOf(pattern) : undefined
}

function mismatchOf(test: string): string {
  return `format:${test}`
}

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
  const guards = namesOf(disputes)
  return [
    optionOf(SHARED_WORDS, {
      choice: FALSE_ALARM,
      label: saying('false-alarm.label', { guards }),
      after: saying('false-alarm.after', { guards }),
      consequence: { kind: 'continue', raises: trips.filter(isLimitTrip).flatMap(raisesOf), disputes },
    }),
  ]
}

/** The guards were wrong not to believe a pass: it is taken as it is, and counted against them. */
export function believedAfterAll(state: State, disputes: readonly Trip[]): Option {
  const guards = [...new Set(disputes.map(({ guard }) => guard))]
  return accept(state, { label: saying('accept.false-alarm', { guards: namesOf(guards) }), disputes: guards })
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
    return optionOf(SHARED_WORDS, {
      choice: 'expert',
      label: saying('expert.label', { agent: name, guard }),
      after: saying('expert.after', { agent: name }),
      consequence: { kind: 'continue', raises: trips.flatMap(raisesOf), agent },
    })
  })
}
