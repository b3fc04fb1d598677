import { CORE_WORDS } from '../../core/words.ts'
import type { ProofLevel } from '../../core/proof.ts'
import type { Ruling } from '../../core/ruling.ts'
import type { ProblemCode } from '../../core/state.ts'
import { sayingIn, type Words } from '../../core/saying.ts'
import type { SuspicionKind } from '../../core/suspicion.ts'
import { counted, shortened } from '../../core/wording.ts'
import type { PatternKind } from './patterns.ts'

export interface Limits {
  /** Limits that are raised, in words: "up to 6 iterations". */
  readonly limits?: readonly string[]
}

export interface Run {
  readonly run: string
}

/** A failing test: its line as text, and the parts that a card draws. */
export interface ShownFailure {
  readonly text: string
  readonly id: string
  readonly place?: string
  readonly expected?: string
  readonly received?: string
}

export interface CommandApart {
  /** Set if the command is shown on a line of its own. */
  readonly hasCommandApart?: true
}

function withLimits(label: string, { limits = [] }: Limits): string {
  return [label, ...limits].join(', ')
}

/** Everything that several loops say to people: their questions, options, patterns, steps and decisions. */
export const SHARED_WORDS = {
  ...CORE_WORDS,

  // What the attempts show.
  'pattern.agent-failed': ({ often, said }: { often: string; said: string }) =>
    `The agent itself failed ${often}: ${shortened(said, 200)}`,
  'pattern.nothing-changed': ({ count, isAll }: { count: number; isAll: boolean }) =>
    `The agent changed nothing ${isAll ? 'in any attempt' : `in the last ${count} attempts`}.`,
  'pattern.alternating-failures': ({ one, other }: { one: string; other: string }) =>
    `The failures alternate: "${shortened(one, 80)}", then "${shortened(other, 80)}", then the first again.`,
  'pattern.fixed-one-broke-another': ({ iteration, fixed, broken }: { iteration: number; fixed: string; broken: string }) =>
    `Fixing one thing broke another: iteration ${iteration} fixed "${shortened(fixed, 80)}" and broke "${shortened(broken, 80)}".`,
  'pattern.same-failure': ({ count }: { count: number }) => `The same failure after each of the last ${count} attempts.`,
  'pattern.same-tests-other-message': ({ count, tests, isReview }: { count: number; tests: number; isReview: boolean }) =>
    isReview
      ? `A review rejected each of the last ${count} attempts, each time for a different reason.`
      : `The same ${tests === 1 ? 'test fails' : `${counted(tests, 'test')} fail`} after each of the last ${count} attempts, each time with a different message: something changes, but not enough.`,
  'pattern.getting-better': ({ from, to }: { from: number; to: number }) =>
    `Each attempt improves: from ${counted(from, 'failure')} to ${to}.`,
  'pattern.same-file-every-time': ({ file, count }: { file: string; count: number }) =>
    `${file} was edited in each of the last ${count} attempts, without success.`,
  'pattern.format-mismatch': ({ difference, test, message }: { difference: string; test: string; message: string }) => {
    const subject = difference === 'rounding' ? 'rounding' : difference === 'type' ? 'a type' : 'a format'
    return `Code and test disagree about ${subject} in "${shortened(test, 100)}". ${message}`
  },

  'pattern.format-mismatch.short': ({ difference }: { difference: string }) =>
    `same value, ${difference === 'rounding' ? 'rounded differently' : difference === 'type' ? 'different type' : 'different format'}`,

  // Lines of questions.
  'attempts.failure': ({ text }: ShownFailure) => text,
  'attempts.failing': ({ attempts, task, more }: { attempts: number; task?: Task; more: number }) =>
    `${afterWords(attempts, task)} this still fails${more > 0 ? `, and ${more} more` : ''}:`,
  'attempts.not-passing': ({ attempts, task }: { attempts: number; task?: Task }) =>
    `${afterWords(attempts, task)} the checks still don't pass.`,
  'attempts.agent-failed': ({ said }: { said?: string }) =>
    `In the last attempt the agent didn't finish: ${shortened(said ?? "it didn't say why.", SAID_LENGTH_MAX)}`,
  'attempts.agent-idle': ({ said }: { said: string }) =>
    `In the last attempt the agent changed nothing. It said: ${shortened(said, SAID_LENGTH_MAX)}`,
  'attempts.agent-denied': ({ calls }: { calls: number }) =>
    `In the last attempt the agent changed nothing; its own rules denied it ${counted(calls, 'call')}.`,
  'attempts.changed-checks': ({ changed }: { changed: string }) => `The agent changed what checks it: ${changed}`,
  'attempts.answered-before': ({ answer }: { answer: string }) => `You answered this before: ${answer}`,
  'attempts.ask.denied': () => 'May the agent do what it was denied?',
  'attempts.ask.format-mismatch': () => 'Which is right?',
  'attempts.ask.contradiction': () => 'Can both pass, or do they contradict each other?',
  'attempts.ask.agent-failed': () => 'Can the agent work again?',
  'attempts.ask.nothing-changed': () => 'What does the agent need to know?',
  'attempts.ask.go-on': () => 'How should it continue?',
  'disputed.but': () => 'The checks pass, but:',
  'disputed.ask': () => 'Is that intended?',
  'review.ask': () => 'Every other check passes. Does the work reach the goal?',
  'review.changed': ({ files, run }: { files: string } & Run) => `It changed ${files}. See the diff: pawl diff ${run} --total`,
  'problem.unable': ({ problem, check = '', message }: { problem: ProblemCode; check?: string; message: string }) =>
    problem === 'ceiling' ? message : `${UNABLE[problem].replace('CHECK', () => check)} couldn't run: ${message}`,
  'problem.ask': () => "This doesn't count as an attempt. What now?",
  'unproven.passed-before': () =>
    'The checks passed before the agent began and it changed nothing, so they prove nothing about the goal.',
  'unproven.ask': () => 'Is the goal reached?',

  'proof.but': () => "The checks pass, but that doesn't prove the work is done:",
  'proof.old-tests-fail': ({ check, tests, count }: Finding) =>
    `With the original tests, "${check}" fails: ${namesAmong(tests, count, 'test')}.`,
  'proof.tests-not-run': ({ check, tests, count }: Finding) =>
    `"${check}" ran ${counted(count, 'test')} fewer than at the start${tests.length > 0 ? `: ${namesAmong(tests, count, 'test')}` : ''}.`,
  'proof.fails-in-room': ({ check, tests, count }: Finding) =>
    `"${check}" passes here and fails in a fresh copy of the files${tests.length > 0 ? `: ${namesAmong(tests, count, 'test')}` : ''}.`,
  'proof.tests-cannot-fail': ({ check, tests, count }: Finding) =>
    `"${check}" passes even if its tests expect other values${tests.length > 0 ? `: ${namesAmong(tests, count, 'test')}` : ''}.`,
  'proof.compared-value-changed': ({ check, files, tests, count }: Finding) =>
    `"${check}" passes only because the work changed what its tests compare with (${namesAmong(files, files.length, 'file')}): ${namesAmong(tests, count, 'test')}.`,
  'proof.knows-its-tests': ({ check, files, tests, count }: Finding) =>
    `"${check}" passes only because new code asks whether a test runs (${namesAmong(files, files.length, 'file')}): ${namesAmong(tests, count, 'test')}.`,
  'proof.passes-without-work': ({ check, files, count }: Finding) =>
    `"${check}" passes on the code as it was at the start, too, because of files that git ignores: ${namesAmong(files, count, 'file')}.`,
  'proof.files-not-checked': ({ check, files, count }: Finding) =>
    `"${check}" failed because of a file that it no longer looks at: ${namesAmong(files, count, 'file')}.`,
  'proof.room-unfit': ({ check }: Finding) =>
    `"${check}" can't run in a fresh copy of the files: even for the start it gives another result there than here.`,
  'proof.dependencies-changed': ({ files, count }: Finding) =>
    `Installed packages changed, and no lock file explains it: ${namesAmong(files, count, 'package')}.`,
  'proof.suspicious-code': ({ files, count }: Finding) =>
    `New code switches a check off or changes what it relies on: ${namesAmong(files, count, 'line')}.`,
  'proof.written-tests-changed': ({ files, count }: Finding) =>
    `Tests that were written before the work were changed afterwards: ${namesAmong(files, count, 'file')}.`,
  'proof.reviewer-changed': ({ files, count }: Finding) =>
    `The reviewer's own script was changed, so its verdict doesn't count: ${namesAmong(files, count, 'file')}.`,
  'proof.changed-meanwhile': ({ files = [], count }: Partial<Finding>) =>
    `Files changed while the checks ran, so the checks didn't pass on the present files${files.length > 0 ? `: ${namesAmong(files, count ?? files.length, 'file')}` : ''}.`,
  'proof.held-out-fails': () => 'The held-out check fails.',
  'proof.ask': () => 'Is the work done anyway?',
  'flaky.pass': ({ tests, count }: { tests: readonly string[]; count: number }) =>
    `The checks pass, but only in a second run: ${namesAmong(tests, count, 'test')} passed and failed on the same files.`,
  'flaky.ask': () => 'Does this pass count?',
  'unproven.no-check': () => 'No check or rule can confirm that the goal is reached.',
  'unproven.unproven': () => "The checks passed before any work, so they can't tell whether the goal is reached.",
  'unproven.not-due': () => "The checks failed before and pass now, but the agent's changes don't explain it.",
  'unproven.only-tests': () =>
    "Only tests changed, and they pass. The checks passed before too, so they can't tell whether the goal is reached.",
  'unproven.self-tested': ({ wanted }: { wanted: string }) =>
    `Only the agent's own tests show a difference, and \`require_proof\` is ${wanted}.`,
  'unproven.reviewed': ({ wanted }: { wanted: string }) => `Only a review supports it, and \`require_proof\` is ${wanted}.`,

  // Options: what they are called.
  'go-on.label': ({ limits = [] }: Limits) => (limits.length === 0 ? 'Continue' : `Continue, with ${limits.join(' and ')}`),
  'go-on.together': (values: Limits) => withLimits('Both must pass: continue', values),
  'go-on.agent-mended': (values: Limits) => withLimits('The agent works again: continue', values),
  'go-on.mended': (values: Limits) => withLimits('It is fixed: try again', values),
  'go-on.not-done': (values: Limits) => withLimits('No: continue', values),
  'go-on.wrong-test': () => 'They contradict each other: change the wrong test',
  'go-on.change-code': ({ wanted }: { wanted: string }) => `${wanted}, so change the code`,
  'go-on.change-test': ({ given }: { given: string }) => `${given}, so change the test (this expectation only)`,
  'go-on.accept-both': () => 'Both: accept either',
  'go-on.put-back': () => 'No: have the agent undo it',
  'go-on.not-reached': (values: Limits = {}) => withLimits('No: continue (say what is missing with --note)', values),
  'go-on.write-test': () => 'No: have a test written that fails without the change',
  'go-on.write-test.after': () => 'The agent tries again, and the prompt asks for such a test.',
  'add-review.label': ({ agent, isSame }: { agent: string; isSame?: true }) =>
    `Have ${agent} review it${isSame ? ' in a fresh session' : ''}`,
  'add-review.after': () => 'The work is done if the review approves it. No agent works on it meanwhile.',
  'add-check.label': () => 'Add a check that can tell (--note is its command)',
  'add-check.after': () => 'The check runs on the present files and on the files before the work.',
  'go-on.fix-flaky': () => 'No: have the cause found',
  'go-on.fix-flaky.after': () => 'The agent tries again, and its brief names the flaky tests.',
  'accept.label': () => 'Accept the work as it is',
  'accept.done': () => 'Yes: accept it as done',
  'accept.false-alarm': ({ guards }: { guards: string }) => `False alarm: accept it as done (counts against ${guards})`,
  'false-alarm.label': ({ guards }: { guards: string }) => `False alarm: continue (counts against ${guards})`,
  'expert.label': ({ agent, guard }: { agent: string; guard: string }) => `Continue with ${agent}, the expert for ${guard}`,
  'approve.label': () => 'Approve',
  'reject.label': () => 'Reject (say what is missing with --note)',
  'retry-step.label': () => 'It is fixed: try again',
  'retry-step.again': () => 'Try again',
  'make.label': () => "It doesn't exist yet: let the agent make it",

  // Options: what happens after they are chosen.
  'go-on.after': ({ limits = [], how, files = '', putsBack }: Limits & { how?: How; files?: string; putsBack?: true }) => {
    const raised = limits.length === 0 ? [] : [`with ${limits.join(' and ')}`]
    const difference = how === undefined ? [] : [HOW[how].replace('FILES', () => files)]
    const words = `${['The agent tries again', ...raised, ...difference].join(', ')}.`
    return putsBack ? `${words} The prompt lists what to undo.` : words
  },
  'go-on.put-back.after': () => 'The prompt lists the exact lines to undo.',
  'accept.after': (values: { isLast: boolean; isPassing: boolean; guards?: string }) => {
    const { isLast, isPassing, guards } = values
    const words = isLast
      ? `The run ends as a success${isPassing ? '' : ', although checks fail'}.`
      : 'This task counts as done, and the next one begins.'
    return guards === undefined ? words : `${words} It counts as a false alarm of ${guards} (pawl stats).`
  },
  'accept.nothing-changed.after': () => 'The goal counts as reached, with nothing changed.',
  'false-alarm.after': ({ guards }: { guards: string }) =>
    `The agent tries again. It counts as a false alarm of ${guards} (pawl stats).`,
  'expert.after': ({ agent }: { agent: string }) => `${agent} works from now on. Its prompt lists everything that was tried.`,
  'approve.after': () => 'The review counts as passed, for the files as they are now.',
  'reject.after': () => 'The attempt counts as failed, and the agent gets your note.',
  'retry-step.after': () => 'Pawl repeats this step only.',
  'make.after': () => 'The check counts as failed until it can run, and the agent learns why.',

  // What to do before answering.
  'step.look-at-diff': ({ run }: Run) => `See everything that changed: pawl diff ${run} --total`,
  'step.proof-review': ({ run }: Run) => `Have another agent review it: pawl resume ${run} --reviewer NAME`,
  'step.room-false': ({ check, run }: { check: string; run?: string }) =>
    `If "${check}" needs this folder, a service or a device, set \`room: false\` for it in pawl.yaml${run === undefined ? '.' : `, then: pawl resume ${run} --reload`}`,
  'step.held-out': ({ run }: Run) =>
    `If the held-out check itself is wrong, correct it or \`held_out\` in pawl.yaml, then: pawl resume ${run} --reload`,
  'step.restore-start': ({ run, hasCommandApart }: Run & CommandApart) =>
    `No iteration improved anything. Unless you want to keep the changes, start over:${hasCommandApart ? '' : ` pawl restore ${run} 0`}`,
  'step.restore-best': (values: Run & CommandApart & { iteration: number; isWorseNow: boolean }) => {
    const { run, iteration, isWorseNow, hasCommandApart } = values
    const which = iteration === 0 ? 'the state before any work' : `iteration ${iteration}`
    const when = isWorseNow ? '' : ', unless you want to keep what came after it'
    return `Go back to ${which}, the best verified state${when}:${hasCommandApart ? '' : ` pawl restore ${run} ${iteration}`}`
  },
  'step.fix-problem': () => 'Fix it, then answer 1.',
  'step.other-program': ({ program }: { program: string }) => `If the command or rule itself is wrong, change it in ${program}.`,
  'step.other-reviewer': ({ run }: Run) =>
    `If the reviewer itself is wrong, change it: pawl resume ${run} --reviewer NAME (an agent of pawl.yaml, or person), or --timeout 1h`,
  'step.other-settings': ({ run, flags }: Run & { flags: string }) =>
    `If the command itself is wrong, change it: pawl resume ${run} ${flags}`,
  'step.maxIterations': ({ run }: Run) =>
    `If the iterations improve (pawl show ${run}), more of them help. If not, say what the agent doesn't know, or ask for less.`,
  'step.budget': ({ run }: Run) =>
    `See where it went: pawl show ${run}. A smaller goal, a quicker check or another agent makes iterations cheaper.`,
  'step.deadline': ({ run }: Run) => `See what is done: pawl diff ${run} --total. Accept it, or set a later deadline.`,
  'step.circuitBreaker': ({ run }: Run) =>
    `See what fails and what was tried: pawl show ${run}. Tell the agent what it can't know: --note.`,
  'step.sameFailure': () => "Run the failing check yourself, and tell the agent the cause it doesn't see.",
  'step.thrashing': ({ run }: Run) =>
    `See what changed back and forth: pawl diff ${run}. Say which version is right, or that the cause is elsewhere.`,
  'step.noProgress': () =>
    'Find out whether the failing test runs the edited code at all. Common causes: a stale build, a second copy, a cache.',
  'step.oscillation': () => 'Two requirements may contradict each other. Decide which one counts, and say so with --note.',
  'step.stalledDiff': ({ run }: Run) =>
    `The agent repeats the same change (pawl diff ${run}). Suggest another place or another approach.`,
  'step.emptyIterations': () => 'Check that the agent can edit files: pawl doctor. Then say what the first edit should be.',
  'step.spinningText': () => 'The agent talks in circles. Try a fresh session, a smaller goal or another model.',
  'step.repeatedAction': () =>
    'The agent repeats the same call. Give it what it looks for with --note, or fix the tool that returns nothing.',
  'step.iterationBudget': () =>
    'One iteration used more than its limit. Make the goal smaller, or raise the limit if the work is that large.',
  'step.idle': () => 'See what the agent waited for: a command that never ends, a prompt nobody answers, or a long test run.',
  'step.qualityRegression': () => 'Everything after the best state made it worse. Restore it, and say what must not change.',
  'step.worthContinuing': () =>
    "Runs like this seldom succeed. Make the goal smaller, tell the agent what it doesn't know, or use another agent.",
  'step.tampering': ({ run }: Run) => `See these lines: pawl diff ${run}. Were they meant to change?`,

  // Decisions.
  'decided.passed': (proven: Partial<Proven>) =>
    isProven(proven) ? provenWords(proven) : `All checks passed.${secondRunWords(proven)}`,
  'decided.disputed': ({ messages }: { messages: string }) => `The checks pass, but that isn't believable: ${messages}`,
  'decided.refuted': () => "The checks pass, but that doesn't prove the work is done.",
  'decided.unproven': ({ level, wanted }: { level: string; wanted: string }) =>
    level === 'unproven'
      ? 'The checks pass, but nothing proves that the goal is reached.'
      : `The proof is ${level}, and ${wanted} is required.`,
  'decided.flaky': () => 'The checks pass, but only in a second run.',
  'decided.nothing-changed': () => 'The checks pass, as they did before, and nothing changed.',
  'decided.waits-for-review': () => 'Every other check passed. Waiting for a review.',
  'decided.retry-off': ({ summary, setting }: { summary: string; setting: string }) =>
    `${summary} (Asked because ${setting} is off.)`,
} satisfies Words

const UNABLE: Readonly<Record<Exclude<ProblemCode, 'ceiling'>, string>> = {
  provider: 'The provider',
  agent: 'The agent',
  committer: 'The committer',
  runner: 'The runner',
  check: 'The check "CHECK"',
  prepare: 'A command of `prepare`',
}

const SAID_LENGTH_MAX = 100

/** One of several tasks, counted from 1. */
export interface Task {
  readonly number: number
  readonly count: number
  readonly id: string
}

function afterWords(attempts: number, task: Task | undefined): string {
  const after = counted(attempts, 'attempt')
  return task ? `Task ${task.number} of ${task.count} (${task.id}): after ${after}` : `After ${after}`
}

/** Why a success is believed, as the values of a sentence. */
export interface Proven {
  readonly level: ProofLevel
  /** How many tests failed before and pass now. */
  readonly tests: number
  /** How many other problems, such as compiler errors, were reported before and are gone. */
  readonly problems: number
  /** The checks without names of tests that failed before and pass now. */
  readonly checks: readonly string[]
  /** Set if more turned than a proof names, and nobody counted them. */
  readonly isMore?: true
  /** The test files that the work changed, the first few; `filesCount` counts all. */
  readonly files: readonly string[]
  readonly filesCount: number
  /** Who approved the work: agents by name, or "a person". */
  readonly reviewers: readonly string[]
  /** Tests behind a pass that needed a second run, the first few; `flakyCount` counts all. */
  readonly flaky?: readonly string[]
  readonly flakyCount?: number
  /** Failing tests that are left for later tasks, the first few; `leftCount` counts all. */
  readonly left?: readonly string[]
  readonly leftCount?: number
}

/** Whether these values say why a success is believed. */
export function isProven(values: Partial<Proven>): values is Proven {
  return values.level !== undefined
}

/** Why a success is believed, in one sentence, and another if it needed a second run. */
export function provenWords(proven: Proven): string {
  return `${levelWords(proven)}${secondRunWords(proven)}${leftWords(proven)}`
}

function leftWords({ left = [], leftCount = left.length }: Partial<Proven>): string {
  return left.length === 0 ? '' : ` Left for later tasks: ${namesAmong(left, leftCount, 'test')}.`
}

function secondRunWords({ flaky = [], flakyCount = flaky.length }: Partial<Proven>): string {
  return flaky.length === 0
    ? ''
    : ` It took a second run: ${namesAmong(flaky, flakyCount, 'test')} ${flakyCount === 1 ? 'is' : 'are'} flaky.`
}

function levelWords(proven: Proven): string {
  const { level, files, filesCount, reviewers } = proven
  switch (level) {
    case 'red-to-green':
      return `${turnedWords(proven)}.`
    case 'self-tested':
      if (filesCount === 0) return 'Only checks that the agent set itself show a difference.'
      return `Only the agent's own tests show a difference: ${listWords(files, filesCount)}.`
    case 'reviewed':
      return `Reviewed and approved by ${reviewers.join(' and ')}.`
    case 'unproven':
      return 'Every check passed, but nothing proves that the goal is reached.'
  }
}

/** "1 test failed before and passes now". Compiler errors and checks without tests have their own words. */
function turnedWords({ tests, problems, checks, isMore }: Proven): string {
  const more = isMore ? ' or more' : ''
  const parts = [
    ...(tests > 0
      ? [`${tests}${more} ${tests === 1 ? 'test' : 'tests'} failed before and ${tests === 1 ? 'passes' : 'pass'} now`]
      : []),
    ...(problems > 0
      ? [`${problems}${more} ${problems === 1 ? 'problem' : 'problems'} reported before ${problems === 1 ? 'is' : 'are'} gone`]
      : []),
    ...(checks.length > 0
      ? [
          `${checks.map((check) => `"${shortened(check, 60)}"`).join(' and ')} failed before and ${checks.length === 1 ? 'passes' : 'pass'} now`,
        ]
      : []),
  ]
  return parts.join(', and ')
}

/** "a.test.ts, b.test.ts and 3 more". */
export function listWords(names: readonly string[], count = names.length): string {
  const shown = names.slice(0, NAMES_SHOWN_MAX)
  const more = count - shown.length
  return `${shown.join(', ')}${more > 0 ? `${shown.length > 0 ? ' and ' : ''}${more} more` : ''}`
}

/** What speaks against a success, in words. */
export interface Finding {
  readonly check: string
  readonly tests: readonly string[]
  readonly files: readonly string[]
  readonly count: number
}

/** The first names of many, each in quotes. */
function namesAmong(names: readonly string[], count: number, noun: string): string {
  const shown = names.slice(0, NAMES_SHOWN_MAX).map((name) => `"${shortened(name, 100)}"`)
  const more = count - shown.length
  return [...shown, ...(more > 0 ? [shown.length === 0 ? counted(more, noun) : `${more} more`] : [])].join(', ')
}

const NAMES_SHOWN_MAX = 3

/** How the next attempt differs. */
export type How = keyof typeof HOW

const HOW = {
  'changed-nothing': 'and the prompt says that it changed nothing',
  together: 'and the prompt says that they must pass together',
  'find-cause': 'and the prompt asks for the cause before any edit',
  'newest-message': 'and the prompt points to the newest message',
  elsewhere: 'and the prompt asks to look elsewhere than in FILES',
  'same-way': 'in the same way',
  'test-counts': 'and the prompt says that the test is right',
  'wrong-test': 'and may change the test that contradicts the goal',
  'keep-test': 'and leaves the test as it is',
  'this-test': 'and may change what this test expects',
  both: 'and may change the code and this test',
  'not-reached': 'and the prompt says that the goal is not reached',
} as const

/** Names a sentence that several loops share. */
export const saying = sayingIn(SHARED_WORDS)

/** What the agent reads about a pattern, so that the next attempt is another one; nothing if it has no say in it. */
export const ADVICE: Readonly<
  Record<PatternKind, { readonly how: How; text(tests: string, files: string): string } | undefined>
> = {
  'agent-failed': undefined,
  'nothing-changed': {
    how: 'changed-nothing',
    text: () => 'You left every file as it was. Change what the goal needs, or say in one line what keeps you from it.',
  },
  'alternating-failures': { how: 'together', text: (tests) => together(tests) },
  'fixed-one-broke-another': { how: 'together', text: (tests) => together(tests) },
  'same-failure': {
    how: 'find-cause',
    text: (_tests, files) =>
      `What you tried${files === '' ? '' : ` in ${files}`} did not touch the cause. Find out first why it fails, then change something else.`,
  },
  'same-tests-other-message': {
    how: 'newest-message',
    text: (tests) => `The message changed, so continue from the newest one. Still failing: ${tests}.`,
  },
  'same-file-every-time': {
    how: 'elsewhere',
    text: (_tests, files) =>
      `Editing ${files} again and again did not help. The cause may be elsewhere: look at what calls it and at what it calls.`,
  },
  'getting-better': { how: 'same-way', text: () => 'It improves: continue in the same way, and keep what passes.' },
  'format-mismatch': {
    how: 'test-counts',
    text: () =>
      'Code and test disagree about a type or a format. Treat the test as right and do not change it, unless a person says otherwise.',
  },
}

function together(tests: string): string {
  return `These must pass together: ${tests}. Find one change that serves all of them before you edit anything.`
}

/** What a person's choice tells the agent. */
export const GUIDANCE = {
  wrongTest: (tests: string): string =>
    `These tests may contradict each other: ${tests}. Change the one that does not fit the goal, only that one, and say which and why.`,
  notReached: 'The checks passed before you began and you changed nothing, but the goal is not reached yet: do what it asks for.',
  ruling: ({ test, right, wanted, given }: Ruling): string => {
    const where = `In "${shortened(test, 100)}"`
    switch (right) {
      case 'test':
        return `${where} the test is right: change the code so that it gives ${wanted}.`
      case 'code':
        return `${where} the code is right: change the test so that it expects ${given}, and nothing else in it.`
      case 'both':
        return `${where} both are right: let the code take either form, and the test accept ${wanted} as well as ${given}.`
    }
  },
  goalNotReached: 'The goal is not reached yet: do what it asks for.',
  writeTest:
    'The checks passed before you began, so nobody can tell whether the goal is reached. Write a test that fails without your change and passes with it.',
  flaky: 'These tests pass and fail on the same files. Find out why and fix the cause, not the tests:',
  refuted:
    'The checks pass only in the state you left them in. Put the tests back, and reach the goal with the tests as they were:',
  putBackPassing: 'The checks pass only because of what you changed in them. Put this back, and reach the goal without it:',
  putBack: 'You changed what your work is checked by. Put this back, and reach the goal without it:',
  moreLikeThese: (count: number): string => `- and ${count} more like these`,
  vanished: (test: string): string => `the test "${test}" does not run any more`,
  skipped: (test: string): string => `the test "${test}" is skipped now`,
} as const

/** What an edit to the tests is called. */
export const EDITS: Readonly<Record<SuspicionKind, string>> = {
  deleted: 'a test was deleted',
  skipped: 'a test is skipped',
  focused: 'only this test runs',
  emptied: 'a test checks nothing any more',
  weakened: 'a check was weakened',
  protected: 'the file must not be changed',
  state: 'this belongs to Pawl',
}
