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
    `The failures go back and forth: "${shortened(one, 80)}", then "${shortened(other, 80)}", then the first again.`,
  'pattern.fixed-one-broke-another': ({ iteration, fixed, broken }: { iteration: number; fixed: string; broken: string }) =>
    `Fixing one thing broke another: iteration ${iteration} fixed "${shortened(fixed, 80)}" and broke "${shortened(broken, 80)}".`,
  'pattern.same-failure': ({ count }: { count: number }) => `The same failure after each of the last ${count} attempts.`,
  'pattern.same-tests-other-message': ({ count, tests, isReview }: { count: number; tests: number; isReview: boolean }) =>
    isReview
      ? `A review rejected each of the last ${count} attempts, each time for something else.`
      : `The same ${tests === 1 ? 'test fails' : `${counted(tests, 'test')} fail`} after each of the last ${count} attempts, with another message: the work moves, but something else stops it.`,
  'pattern.getting-better': ({ from, to }: { from: number; to: number }) =>
    `It gets better from attempt to attempt: from ${counted(from, 'failure')} to ${to}.`,
  'pattern.same-file-every-time': ({ file, count }: { file: string; count: number }) =>
    `${file} was edited in each of the last ${count} attempts, and it did not help.`,
  'pattern.format-mismatch': ({ difference, test, message }: { difference: string; test: string; message: string }) => {
    const subject = difference === 'rounding' ? 'rounding' : difference === 'type' ? 'a type' : 'a format'
    return `Code and test disagree about ${subject} in "${shortened(test, 100)}". ${message}`
  },

  // Lines of questions.
  'attempts.failing': ({ attempts, task, more }: { attempts: number; task?: Task; more: number }) =>
    `${afterWords(attempts, task)} this still fails${more > 0 ? `, and ${more} more` : ''}:`,
  'attempts.not-passing': ({ attempts, task }: { attempts: number; task?: Task }) =>
    `${afterWords(attempts, task)} the checks still do not pass.`,
  'attempts.agent-failed': ({ said }: { said?: string }) =>
    `In the last attempt the agent did not finish: ${shortened(said ?? 'it did not say why.', SAID_LENGTH_MAX)}`,
  'attempts.agent-idle': ({ said }: { said: string }) =>
    `In the last attempt the agent changed nothing. It said: ${shortened(said, SAID_LENGTH_MAX)}`,
  'attempts.agent-denied': ({ calls }: { calls: number }) =>
    `In the last attempt the agent changed nothing, and its own rules denied it ${counted(calls, 'call')}.`,
  'attempts.answered-before': ({ answer }: { answer: string }) => `You answered this before: ${answer}`,
  'attempts.ask.denied': () => 'May it do what it was denied?',
  'attempts.ask.format-mismatch': () => 'Which of the two is right?',
  'attempts.ask.contradiction': () => 'Can both be had, or do they contradict each other?',
  'attempts.ask.agent-failed': () => 'Can the agent work again?',
  'attempts.ask.nothing-changed': () => 'What does the agent need to know?',
  'attempts.ask.go-on': () => 'How should it go on?',
  'disputed.but': () => 'The checks pass, but:',
  'disputed.ask': () => 'Is that meant to be so?',
  'review.ask': () => 'Every other check passes. Does the work reach the goal?',
  'review.ask.goal': () => 'Does the work reach the goal?',
  'review.changed': ({ files, run }: { files: string } & Run) => `It changed ${files}. Look at it with: pawl diff ${run} --total`,
  'problem.unable': ({ problem, check = '', message }: { problem: ProblemCode; check?: string; message: string }) =>
    `${UNABLE[problem].replace('CHECK', () => check)} could not do its job: ${message}`,
  'problem.ask': () => 'This is not counted as an attempt. What now?',
  'unproven.passed-before': () =>
    'The checks passed before the agent began and it changed nothing, so they prove nothing about the goal.',
  'unproven.ask': () => 'Is the goal reached?',

  'proof.but': () => 'The checks pass, but that does not prove that the work is done:',
  'proof.old-tests-fail': ({ check, tests, count }: Finding) =>
    `With its tests as they were at the start, "${check}" fails: ${namesAmong(tests, count, 'test')}.`,
  'proof.tests-not-run': ({ check, tests, count }: Finding) =>
    `"${check}" ran ${counted(count, 'test')} fewer than at the start${tests.length > 0 ? `: ${namesAmong(tests, count, 'test')}` : ''}.`,
  'proof.fails-in-room': ({ check, tests, count }: Finding) =>
    `"${check}" passes here and fails in a fresh copy of the files${tests.length > 0 ? `: ${namesAmong(tests, count, 'test')}` : ''}.`,
  'proof.tests-cannot-fail': ({ check, tests, count }: Finding) =>
    `"${check}" passes even if its tests expect other values${tests.length > 0 ? `: ${namesAmong(tests, count, 'test')}` : ''}.`,
  'proof.passes-without-work': ({ check, files, count }: Finding) =>
    `"${check}" passes on the code as it was at the start, too, because of files that git ignores: ${namesAmong(files, count, 'file')}.`,
  'proof.files-not-checked': ({ check, files, count }: Finding) =>
    `"${check}" failed because of a file that it no longer looks at: ${namesAmong(files, count, 'file')}.`,
  'proof.room-unfit': ({ check }: Finding) =>
    `"${check}" cannot be tried in a fresh copy of the files: it says something else there than here, also for the start.`,
  'proof.dependencies-changed': ({ files, count }: Finding) =>
    `Installed packages were changed, and no lock file says why: ${namesAmong(files, count, 'package')}.`,
  'proof.suspicious-code': ({ files, count }: Finding) =>
    `New code switches a check off or changes what it relies on: ${namesAmong(files, count, 'line')}.`,
  'proof.written-tests-changed': ({ files, count }: Finding) =>
    `Tests that were written before the work were changed afterwards: ${namesAmong(files, count, 'file')}.`,
  'proof.reviewer-changed': ({ files, count }: Finding) =>
    `The reviewer's own script was changed, so its verdict does not count: ${namesAmong(files, count, 'file')}.`,
  'proof.changed-meanwhile': ({ files = [], count }: Partial<Finding>) =>
    `Files were changed while the checks ran, so what passed is not what is there${files.length > 0 ? `: ${namesAmong(files, count ?? files.length, 'file')}` : ''}.`,
  'proof.held-out-fails': () => 'The held-out check fails.',
  'proof.ask': () => 'Is the work done all the same?',
  'unproven.no-check': () => 'There is no check or rule that could confirm that the goal is reached.',
  'unproven.unproven': () => 'The checks passed before any work, so they cannot tell whether the goal is reached.',
  'unproven.not-due': () => 'The checks failed before the work and pass now, but nothing that the work changed explains it.',
  'unproven.only-tests': () =>
    'The work changed only tests, and they pass. The checks passed before too, so they cannot tell whether the goal is reached.',
  'unproven.self-tested': ({ wanted }: { wanted: string }) =>
    `Only tests that the agent wrote itself tell the difference, and \`require_proof\` is ${wanted}.`,
  'unproven.reviewed': ({ wanted }: { wanted: string }) =>
    `A review is all that speaks for it, and \`require_proof\` is ${wanted}.`,

  // Options: what they are called.
  'go-on.label': ({ limits = [] }: Limits) => (limits.length === 0 ? 'Go on' : `Go on, with ${limits.join(' and ')}`),
  'go-on.together': (values: Limits) => withLimits('Both must pass: go on', values),
  'go-on.agent-mended': (values: Limits) => withLimits('The agent is mended: go on', values),
  'go-on.mended': (values: Limits) => withLimits('It is mended: try again', values),
  'go-on.not-done': (values: Limits) => withLimits('No: go on', values),
  'go-on.wrong-test': () => 'They contradict each other: change the wrong test',
  'go-on.change-code': ({ wanted }: { wanted: string }) => `${wanted} is right: change the code`,
  'go-on.change-test': ({ given }: { given: string }) => `${given} is right: change the test`,
  'go-on.accept-both': () => 'Both are right: let code and test accept either',
  'go-on.put-back': () => 'No: have it put back',
  'go-on.not-reached': (values: Limits = {}) => withLimits('No: go on (tell the agent what is missing)', values),
  'go-on.write-test': () => 'No: have a test written that fails without the change',
  'go-on.write-test.after': () => 'The agent tries again and is told to write such a test.',
  'add-review.label': ({ agent, isSame }: { agent: string; isSame?: true }) =>
    `Have ${agent} review it${isSame ? ' in a session of its own' : ''}`,
  'add-review.after': () => 'The work counts as done if the review approves it; nobody works on it meanwhile.',
  'add-check.label': () => 'Add a check that can tell (its command is the note)',
  'add-check.after': () => 'The check runs on the work as it is, and on the files as they were before it.',
  'accept.label': () => 'Accept the work as it is',
  'accept.done': () => 'Yes: accept it as done',
  'accept.false-alarm': ({ guards }: { guards: string }) => `False alarm: accept it as done, ${guards} should have believed it`,
  'false-alarm.label': ({ guards }: { guards: string }) => `False alarm: ${guards} should not have stopped it`,
  'expert.label': ({ agent, guard }: { agent: string; guard: string }) => `Go on with ${agent}, the expert for ${guard}`,
  'approve.label': () => 'Approve',
  'reject.label': () => 'Reject (say what is missing)',
  'retry-step.label': () => 'It is mended: try again',
  'make.label': () => 'It is the work to make it: begin',

  // Options: what happens after they are chosen.
  'go-on.after': ({ limits = [], how, files = '', putsBack }: Limits & { how?: How; files?: string; putsBack?: true }) => {
    const raised = limits.length === 0 ? [] : [`with ${limits.join(' and ')}`]
    const difference = how === undefined ? [] : [HOW[how].replace('FILES', () => files)]
    const words = `${['The agent tries again', ...raised, ...difference].join(', ')}.`
    return putsBack ? `${words} It is told what to put back.` : words
  },
  'go-on.put-back.after': () => 'The agent is told the exact lines to put back.',
  'accept.after': (values: { isLast: boolean; isPassing: boolean; guards?: string }) => {
    const { isLast, isPassing, guards } = values
    const words = isLast
      ? `The run is completed as it stands${isPassing ? '' : ', failing checks and all'}.`
      : 'This task counts as done as it stands, and the next task begins.'
    return guards === undefined ? words : `${words} This is counted against ${guards} (pawl stats).`
  },
  'accept.nothing-changed.after': () => 'The goal counts as reached, with nothing changed.',
  'false-alarm.after': ({ guards }: { guards: string }) =>
    `The agent tries again as before, and this is counted against ${guards} (pawl stats).`,
  'expert.after': ({ agent }: { agent: string }) => `${agent} does the work from now on, and is told all that was tried.`,
  'approve.after': () => 'The review counts as passed, for the files as they are now.',
  'reject.after': () => 'The attempt counts as failed, and the agent is told your note.',
  'retry-step.after': () => 'The same step is tried again; nothing that is done is done twice.',
  'make.after': () => 'The check counts as failed until it can run, and the agent is told why.',

  // What to do before answering.
  'step.look-at-diff': ({ run }: Run) => `Look at all that changed: pawl diff ${run} --total`,
  'step.proof-review': ({ run }: Run) => `Have another agent review it: pawl resume ${run} --reviewer NAME`,
  'step.room-false': ({ check, run }: { check: string; run?: string }) =>
    `If "${check}" needs this folder, a service or a device, set \`room: false\` for it in pawl.yaml${run === undefined ? '.' : `, then: pawl resume ${run} --reload`}`,
  'step.held-out': ({ run }: Run) =>
    `If the held-out check itself is wrong, correct it or \`held_out\` in pawl.yaml, then: pawl resume ${run} --reload`,
  'step.restore-start': ({ run, hasCommandApart }: Run & CommandApart) =>
    `No iteration was better than another: unless what is there is worth keeping, begin again from before any work:${hasCommandApart ? '' : ` pawl restore ${run} 0`}`,
  'step.restore-best': (values: Run & CommandApart & { iteration: number; isWorseNow: boolean }) => {
    const { run, iteration, isWorseNow, hasCommandApart } = values
    const which = iteration === 0 ? 'the state before any work' : `iteration ${iteration}`
    const when = isWorseNow ? '' : ', unless what came after it is worth keeping'
    return `Go back to ${which}, the best verified state${when}:${hasCommandApart ? '' : ` pawl restore ${run} ${iteration}`}`
  },
  'step.fix-problem': () => 'Mend what is named above, then answer 1.',
  'step.other-program': ({ program }: { program: string }) =>
    `Where the command or rule itself has to change, ${UNTIL} ${program} gives it another.`,
  'step.other-reviewer': ({ run }: Run) =>
    `Where the reviewer or its time limit has to change, ${UNTIL} it is told: pawl resume ${run} --reviewer NAME (an agent as it is in pawl.yaml now, or person), or --timeout 1h (for all agents without a \`timeout\` of their own)`,
  'step.other-settings': ({ run, flags }: Run & { flags: string }) =>
    `Where the command itself or pawl.yaml has to change, ${UNTIL} it is told: pawl resume ${run} ${flags}`,
  'step.maxIterations': ({ run }: Run) =>
    `See whether it gets better from iteration to iteration (pawl show ${run}): if so, more of them help; if not, say what it does not know, or ask for less.`,
  'step.budget': ({ run }: Run) =>
    `See where it went (pawl show ${run}): a smaller goal, a quicker check or another agent makes an iteration cheaper.`,
  'step.deadline': ({ run }: Run) =>
    `Look at what is done by now (pawl diff ${run} --total): accept it, or give it a later deadline.`,
  'step.circuitBreaker': ({ run }: Run) =>
    `Read what fails now and what was tried (pawl show ${run}), find the one thing the agent cannot know, and tell it with the answer.`,
  'step.sameFailure': () =>
    'Run the failing check once yourself and read all that it prints: tell the agent the cause that it does not see.',
  'step.thrashing': ({ run }: Run) =>
    `Look at what went to and fro in the files named above (pawl diff ${run}): say which of the versions is meant, or that the cause lies elsewhere.`,
  'step.noProgress': () =>
    'Find out whether the edited code runs at all in the failing test: a stale build, another copy or a cached result is a common cause.',
  'step.oscillation': () => 'Two demands may contradict each other: decide which one counts, and say so with the answer.',
  'step.stalledDiff': ({ run }: Run) =>
    `The same change comes again (pawl diff ${run}): say that it is not the way, and name another place or another approach.`,
  'step.emptyIterations': () =>
    'See whether the agent may and can edit (its permissions, its key, its working folder): pawl doctor. Then say what the first edit should be.',
  'step.spinningText': () => 'The agent talks in circles: begin with a fresh context, a smaller goal or another model.',
  'step.repeatedAction': () =>
    'The agent asks the same again: give it what it looks for with the answer, or mend the tool that says nothing.',
  'step.iterationBudget': () =>
    'One iteration took more than it may: make the goal smaller, or raise the limit if the work is really that large.',
  'step.idle': () =>
    'See what the agent waited for: a command that never ends, a prompt that nobody answers, or a test run that needs a higher limit.',
  'step.qualityRegression': () =>
    'What came after the best state made it worse: go on from there, and name what must stay as it was.',
  'step.worthContinuing': () =>
    'Loops that stood like this seldom came to a good end: make the goal smaller, tell the agent what it does not know, or put another one to work.',
  'step.tampering': ({ run }: Run) => `Look at the lines named above (pawl diff ${run}): were they meant to change?`,

  // Decisions.
  'decided.passed': (proven: Partial<Proven>) => (isProven(proven) ? provenWords(proven) : 'Every check passed on this tree.'),
  'decided.disputed': ({ messages }: { messages: string }) => `The checks pass, but that cannot be believed: ${messages}`,
  'decided.refuted': () => 'The checks pass, but that does not prove that the work is done.',
  'decided.unproven': ({ level, wanted }: { level: string; wanted: string }) =>
    level === 'unproven'
      ? 'The checks pass, but nothing proves that the goal is reached.'
      : `The proof is ${level}, and ${wanted} is required.`,
  'decided.nothing-changed': () => 'The checks pass, as they did before, and nothing was changed.',
  'decided.waits-for-review': () => 'Every other check passed on this tree: waiting for a review.',
  'decided.retry-off': ({ summary, setting }: { summary: string; setting: string }) =>
    `${summary} (Asked because ${setting} is off.)`,
} satisfies Words

const UNABLE: Readonly<Record<ProblemCode, string>> = {
  provider: 'The provider',
  agent: 'The agent',
  committer: 'The committer',
  runner: 'The runner',
  check: 'The check "CHECK"',
  prepare: 'A command of `prepare`',
}

const UNTIL = 'the run keeps what it was started with until'
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
}

/** Whether these values say why a success is believed. */
export function isProven(values: Partial<Proven>): values is Proven {
  return values.level !== undefined
}

/** Why a success is believed, in one sentence. */
export function provenWords(proven: Proven): string {
  const { level, files, filesCount, reviewers } = proven
  switch (level) {
    case 'red-to-green':
      return `${turnedWords(proven)}.`
    case 'self-tested':
      if (filesCount === 0) return 'Only checks that the agent set itself tell the difference.'
      return `Only tests that the agent wrote tell the difference: ${listWords(files, filesCount)}.`
    case 'reviewed':
      return `Reviewed and approved by ${reviewers.join(' and ')}.`
    case 'unproven':
      return 'Every check passed, but nothing proves that the goal is reached.'
  }
}

/** "1 test that failed before passes now". Compiler errors and checks without tests have their own words. */
function turnedWords({ tests, problems, checks, isMore }: Proven): string {
  const more = isMore ? ' or more' : ''
  const parts = [
    ...(tests > 0
      ? [`${tests}${more} ${tests === 1 ? 'test' : 'tests'} that failed before ${tests === 1 ? 'passes' : 'pass'} now`]
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
  'changed-nothing': 'and is told that it changed nothing',
  together: 'and is told that they must pass together',
  'find-cause': 'and is told to find the cause before it edits',
  'newest-message': 'and is told to go on from the newest message',
  elsewhere: 'and is told to look elsewhere than in FILES',
  'same-way': 'and is told to go on in the same way',
  'test-counts': 'and is told that the test counts',
  'wrong-test': 'and may change the test that does not fit the goal',
  'keep-test': 'and leaves the test as it is',
  'this-test': 'and may change what this test expects',
  both: 'and may change the code and this test',
  'not-reached': 'and is told that the goal is not reached yet',
} as const

/** Names a sentence that several loops share. */
export const saying = sayingIn(SHARED_WORDS)

/** What the agent is told about a pattern, so that the next attempt is another one; nothing if it has no say in it. */
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
    text: (tests) => `The message changed, so go on from the newest one; what fails is still ${tests}.`,
  },
  'same-file-every-time': {
    how: 'elsewhere',
    text: (_tests, files) =>
      `Editing ${files} again and again did not help. The cause may be elsewhere: look at what calls it and at what it calls.`,
  },
  'getting-better': { how: 'same-way', text: () => 'It gets better: go on in the same way, and keep what passes.' },
  'format-mismatch': {
    how: 'test-counts',
    text: () =>
      'Code and test disagree about a type or a format. The test counts, unless a person says otherwise: do not change it.',
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
