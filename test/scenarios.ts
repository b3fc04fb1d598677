import { allOf, budget, circuitBreaker, maxIterations, sameFailure } from '../src/guards/index.ts'
import { ralphLoop } from '../src/loops/ralph/index.ts'
import { researchLoop } from '../src/loops/research/loop.ts'
import { reviewLoop } from '../src/loops/review/index.ts'
import { taskLoop } from '../src/loops/task/index.ts'
import type { WorkResult } from '../src/agents/agent.ts'
import type { CheckResult } from '../src/checks/check.ts'
import type { Files } from '../src/testing/memory-parts.ts'
import { honestly, judged } from './support/research-judge.ts'
import { found } from './support/research-play.ts'
import type { Scenario } from '../src/testing/simulation.ts'

/** Three tests; each passes once its file says so. */
function threeTests(files: Files): CheckResult {
  const failing = ['a', 'b', 'c'].filter((name) => files.get(name) !== 'right')
  const counts = { passed: 3 - failing.length, failed: failing.length, skipped: 0 }
  if (failing.length === 0) return { status: 'passed', counts }
  return {
    status: 'failed',
    counts,
    failures: failing.map((id) => ({ id, message: `${id} is ${files.get(id)}`, kind: 'assertion' })),
  }
}

/** Every file of the tests is a test; it passes once the code of its name is right. */
function testPerFile(files: Files): CheckResult {
  const tests = [...files.keys()].flatMap((path) => (path.startsWith('test/') ? [path.slice(5)] : []))
  const failing = tests.filter((name) => files.get(`src/${name}`) !== 'right')
  const counts = { passed: tests.length - failing.length, failed: failing.length, skipped: 0 }
  if (failing.length === 0) return { status: 'passed', counts }
  return { status: 'failed', counts, failures: failing.map((id) => ({ id, message: 'not right', kind: 'assertion' })) }
}

function goodStyle(files: Files): CheckResult {
  if (files.get('style') === 'good') return { status: 'passed', costUsd: 0.01 }
  return { status: 'failed', costUsd: 0.01, failures: [{ id: 'style', message: 'bad', kind: 'review', severity: 'minor' }] }
}

const set = (name: string, text: string) => (files: Files) => void files.set(name, text)

/** Whole runs, one for each way a run can go. */
export const scenarios: Readonly<Record<string, Scenario>> = {
  'success in three iterations': {
    loop: taskLoop({ goal: 'all right' }),
    guards: [maxIterations(5), circuitBreaker({ failuresMax: 4 }), sameFailure()],
    files: { a: 'wrong', b: 'wrong', c: 'wrong' },
    work: (iteration) => [
      set('draft', `half ${iteration}`),
      set(['a', 'b', 'c'][iteration - 1] ?? 'x', 'right'),
      set('draft', 'done'),
    ],
    check: threeTests,
  },
  'the maximum asks a person, who lets it go on': {
    loop: taskLoop({ goal: 'all right' }),
    guards: [maxIterations(1), circuitBreaker({ failuresMax: 3 })],
    files: { a: 'wrong', b: 'wrong', c: 'right' },
    work: (iteration) => [
      set('a', iteration > 1 ? 'right' : `try ${iteration}`),
      set('b', iteration > 2 ? 'right' : `try ${iteration}`),
    ],
    check: threeTests,
    answer: async (_run, question) => ({ choice: question.options[0]?.choice ?? '', note: 'try harder' }),
  },
  'a budget stops it': {
    loop: taskLoop({ goal: 'all right' }),
    guards: [maxIterations(9), budget({ costUsdMax: 0.03, warnShare: 0.5 })],
    files: { a: 'wrong', b: 'wrong', c: 'wrong' },
    work: (iteration) => [set('a', `try ${iteration}`)],
    check: threeTests,
  },
  'the same failure and a streak together ask a person who is not there': {
    loop: taskLoop({ goal: 'all right', baseline: false }),
    guards: [maxIterations(9), allOf(circuitBreaker({ failuresMax: 2 }), sameFailure({ repeatsMin: 2 }))],
    files: { a: 'wrong', b: 'right', c: 'right' },
    work: (iteration) => [set('notes', `try ${iteration}`)],
    check: threeTests,
  },
  'a planner plans, a review finds it unsafe, and a person has it mended': {
    loop: reviewLoop({ goal: 'A page that greets', reworkCyclesMax: 1, commits: true }),
    guards: [],
    files: { page: 'empty' },
    // The planner, which comes before the first iteration, writes what it should not: it is put back.
    work: (iteration) => [set(iteration === 0 ? 'notes' : 'page', `in ${iteration}`)],
    result: (iteration) => ({
      status: 'finished',
      ...(iteration === 0
        ? { output: { text: '{"items": [{"description": "It greets", "type": "coding"}]}', bytesCut: 0 } }
        : {}),
    }),
    check: () => ({ status: 'passed' }),
    review: (files) =>
      files.get('page') === 'in 1'
        ? { status: 'failed', failures: [{ id: 'review: escape', message: 'Escape it.', kind: 'review', severity: 'security' }] }
        : { status: 'passed' },
    answer: async () => ({ choice: 'continue', note: 'Escape the name.' }),
  },
  'three tasks in order, one of which a person lets go on': {
    loop: taskLoop({
      goal: 'all right',
      tasks: [
        { id: 'a', goal: 'a is right' },
        { id: 'b', goal: 'b is right', iterationsMax: 1 },
        { id: 'd', goal: 'd is there' },
      ],
    }),
    guards: [maxIterations(2)],
    files: { a: 'wrong', b: 'right', c: 'right' },
    work: (iteration) => [
      set('a', iteration > 1 ? 'right' : 'still wrong'),
      set('b', iteration === 3 ? 'broken' : 'right'),
      set('d', `there since ${iteration}`),
    ],
    check: threeTests,
    answer: async () => ({ choice: 'continue' }),
  },
  'tests are written before the work, twice for one task and in vain for another': {
    loop: taskLoop({
      goal: 'all right',
      testFirst: true,
      tasks: [
        { id: 'a', goal: 'a is right' },
        { id: 'b', goal: 'b is right' },
      ],
    }),
    guards: [maxIterations(5)],
    files: { 'test/c': 'a test', 'src/c': 'right' },
    work: (iteration) =>
      [
        [set('test/a', 'a test'), set('src/a', 'begun')],
        [set('test/a', 'a better test')],
        [set('src/a', 'wrong')],
        [set('src/a', 'right')],
        [set('test/c', 'another test')],
        [set('test/c', 'another test that passes')],
        [set('src/b', 'right')],
      ][iteration - 1] ?? [],
    check: testPerFile,
    answer: async () => ({ choice: 'without-tests' }),
  },
  'an agent and a person review it': {
    loop: taskLoop({ goal: 'all right' }),
    guards: [maxIterations(5)],
    files: { a: 'wrong', b: 'right', c: 'right' },
    work: (iteration) => [set('a', 'right'), set('style', iteration > 1 ? 'good' : 'bad'), set('try', String(iteration))],
    check: threeTests,
    review: goodStyle,
    isReviewedByPerson: true,
    answer: async (_run, question) =>
      question.attempts.length > 2 ? { choice: 'approve' } : { choice: 'reject', note: 'not yet' },
  },
  'a pass that nothing proves is reviewed by an answer, rejected, and worked on': {
    loop: taskLoop({ goal: 'all right' }),
    guards: [maxIterations(5)],
    files: { a: 'right', b: 'right', c: 'right' },
    fallbacks: ['second'],
    work: (iteration) => [set('notes', 'half'), set('style', iteration > 1 ? 'good' : 'bad'), set('notes', `in ${iteration}`)],
    check: threeTests,
    added: goodStyle,
    answer: async () => ({ choice: 'review' }),
  },
  'a promise that nothing proves is reviewed by an answer, with nobody at work': {
    loop: ralphLoop({ prompt: 'Make all right.', baseline: true }),
    guards: [maxIterations(5)],
    files: { a: 'right', b: 'right', c: 'right' },
    fallbacks: ['second'],
    work: () => [set('notes', 'half'), set('style', 'good')],
    result: () => ({ status: 'finished', summary: '<promise>COMPLETE</promise>' }),
    check: threeTests,
    added: goodStyle,
    answer: async () => ({ choice: 'review' }),
  },
  'an agent puts the question into words': {
    loop: taskLoop({ goal: 'all right' }),
    guards: [maxIterations(1)],
    files: { a: 'wrong', b: 'right', c: 'right' },
    work: (iteration) => [set('a', `try ${iteration}`)],
    check: threeTests,
    question: 'Is a right?',
  },
  'a provider limit is waited out': {
    loop: taskLoop({ goal: 'all right' }),
    guards: [maxIterations(3)],
    files: { a: 'wrong', b: 'right', c: 'right' },
    work: () => [set('a', 'right')],
    result: (_iteration, now) =>
      now < 2_000_000
        ? { status: 'failed', fault: 'provider-limit', message: 'limit reached', retryAt: 2_000_000 }
        : { status: 'finished' },
    check: threeTests,
  },
  'the next agent goes on at a limit, and the one after it where that cannot work': {
    loop: taskLoop({ goal: 'all right' }),
    guards: [maxIterations(3)],
    files: { a: 'wrong', b: 'right', c: 'right' },
    fallbacks: ['second', 'third'],
    work: (iteration) => [set('a', iteration > 1 ? 'right' : 'try')],
    result: (_iteration, _now, _role, agent) => {
      if (agent === 'simulated')
        return { status: 'failed', fault: 'provider-limit', message: 'limit reached', retryAt: 9_000_000 }
      if (agent === 'second') return { status: 'failed', fault: 'config', message: 'not logged in', fix: 'Log it in.' }
      return { status: 'finished' }
    },
    check: threeTests,
  },
  'a ralph loop promises too early, is blocked, and keeps its promise': {
    loop: ralphLoop({ prompt: 'Make all right.', iterationsMin: 2 }),
    guards: [maxIterations(5)],
    files: { a: 'wrong', b: 'right', c: 'right' },
    work: (iteration) => [set('a', iteration > 1 ? 'right' : 'try'), set('notes', String(iteration))],
    result: (iteration) => ({
      status: 'finished',
      summary:
        ['<promise>COMPLETE</promise>', '<promise>BLOCKED: no key</promise>', '', '<promise>COMPLETE</promise>'][iteration - 1] ??
        '',
    }),
    check: threeTests,
    answer: async () => ({ choice: 'continue', note: 'the key is there' }),
  },
}

const LOGIN_FILES = Object.fromEntries(
  ['a', 'b', 'c', 'd'].map((name) => [`src/login-${name}.ts`, `export const login = '${name}'`]),
)

/** A finding in each of these files. */
const inFiles = (...names: readonly string[]) =>
  names.map((name) =>
    found(`Part ${name.repeat(5)} of the login`, [`src/login-${name}.ts:1:export const login`], { answers: ['question-1'] }),
  )

const answers = (answer: object): WorkResult => ({ status: 'finished', output: { text: JSON.stringify(answer), bytesCut: 0 } })

const GOAL = 'How does the login work across the app?'

/** Whole runs of the research loop. Its agents work side by side, so a crash may change the order of their events: see research-crashes.test.ts. */
export const researchScenarios: Readonly<Record<string, Scenario>> = {
  'research converges once the missing files are covered': {
    loop: researchLoop({ goal: GOAL, strategy: 'broad', iterationsMax: 3 }),
    guards: [maxIterations(5)],
    files: LOGIN_FILES,
    work: () => [],
    result: (iteration, _now, role, _agent, brief) =>
      judgedOr(role, brief) ??
      answers({ findings: iteration > 1 ? inFiles('c', 'd') : inFiles(role === 'fast:explore' ? 'a' : 'b') }),
    check: () => ({ status: 'passed' }),
  },
  'research ends partial at its maximum, after an answer that could not be read': {
    loop: researchLoop({ goal: GOAL, strategy: 'broad', iterationsMax: 2, criteria: { coverage: { threshold: 1 } } }),
    guards: [],
    files: LOGIN_FILES,
    work: () => [],
    result: (iteration, _now, role, _agent, brief) =>
      judgedOr(role, brief) ??
      (role === 'fast:pattern'
        ? { status: 'finished', summary: 'All done.' }
        : answers({ findings: inFiles(iteration === 1 ? 'a' : 'b') })),
    check: () => ({ status: 'passed' }),
  },
  'research settles a conflict, though one agent fails and another writes': {
    loop: researchLoop({ goal: GOAL, strategy: 'broad', iterationsMax: 4, criteria: { conflicts: { threshold: 0 } } }),
    guards: [],
    files: { ...LOGIN_FILES, 'settings.json': '"login": "SQL Server"', 'src/login-db.ts': 'login.use(PostgreSQL)' },
    work: (iteration) => (iteration === 1 ? [set('notes', 'an agent must not write')] : []),
    result: (iteration, _now, role, _agent, brief) => {
      if (role === 'deep:judge') return judgedOr(role, brief) as WorkResult
      if (iteration === 1 && role.endsWith('citation')) return { status: 'failed', fault: 'agent', message: 'It crashed.' }
      if (role.endsWith('verification')) {
        const citations = [{ file: 'src/login-db.ts', line: 1, snippet: 'login.use(PostgreSQL)' }]
        return answers({
          findings: [],
          resolutions: [{ conflict: 'conflict-001', keep: 'finding-006', reason: 'The code says so.', citations }],
        })
      }
      if (role.endsWith('pattern'))
        return answers({ findings: [stored('PostgreSQL', 'src/login-db.ts:1:login.use(PostgreSQL)')] })
      return answers({
        findings: [...inFiles('a', 'b', 'c', 'd'), stored('SQL Server', 'settings.json:1:"login": "SQL Server"')],
      })
    },
    check: () => ({ status: 'passed' }),
  },
  'research that may not end partial asks a person, who lets it go on': {
    loop: researchLoop({ goal: GOAL, strategy: 'broad', iterationsMax: 1, partial: { enabled: false } }),
    guards: [],
    files: LOGIN_FILES,
    work: () => [],
    result: (iteration, _now, role, _agent, brief) =>
      judgedOr(role, brief) ?? answers({ findings: inFiles(...(iteration === 1 ? ['a'] : ['b', 'c', 'd'])) }),
    check: () => ({ status: 'passed' }),
    answer: async () => ({ choice: 'continue' }),
  },
}

/** What the judge says of the statements; nothing for other roles. */
function judgedOr(role: string, brief: string): WorkResult | undefined {
  return role === 'deep:judge' ? { status: 'finished', output: { text: judged(brief, honestly), bytesCut: 0 } } : undefined
}

function stored(value: string, place: string) {
  return found(`Logins are kept in ${value}`, [place], { claims: [{ subject: 'login', attribute: 'database', value }] })
}
