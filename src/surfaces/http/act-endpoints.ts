import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { boundNow, sessionWords } from '../../core/outcome.ts'
import { checkedRunId } from '../../core/names.ts'
import { PawlError } from '../../core/pawl-error.ts'
import { FALSE_ALARM } from '../../core/question.ts'
import { falseAlarm, giveAnswer, isOnlyDoubt } from '../../engine/answer-question.ts'
import { signOfOwnWork, ownWorkError } from '../../engine/own-work.ts'
import { abortRun, knownState, waiveGuard } from '../../engine/person-facts.ts'
import { builtInFolds } from '../../loops/evolve.ts'
import { printableJson } from '../../present/layout.ts'
import { runReport } from '../../present/run-report.ts'
import { runView } from '../../present/run-view.ts'
import { ledgerGrid } from '../../present/ledger-grid.ts'
import { systemClock } from '../../process/clock.ts'
import { isProcessAlive } from '../../process/process-identity.ts'
import { machineProcesses } from '../../process/processes.ts'
import { settleAnswer } from '../../registry/settle-answer.ts'
import {
  AMOUNT,
  byDefault,
  FLAG,
  listUpTo,
  nameUpTo,
  needed,
  oneOf,
  optional,
  settingsSchema,
  textUpTo,
  wholeNumber,
} from '../../schema/kinds.ts'
import { ceilingsOf } from '../../settings/ceilings.ts'
import type { AnswerRequest, AnswerResult, StartResult, TakenAnswer } from './contract.ts'
import { type Caller, type Endpoint, endpoint, type HttpProject } from './endpoint.ts'

const NOTE = optional(textUpTo(10_000), 'Words for the agent')

const answer = endpoint({
  method: 'POST',
  path: '/runs/:run/answer',
  about: "Answers a run's question. Of two people who answer at once, the second gets 409 with the answer that was taken",
  body: settingsSchema({
    choice: needed(nameUpTo(10_000), 'The number or name of an option, or words for the agent'),
    note: NOTE,
    question: optional(wholeNumber(1), 'The question you saw, by its seq: another one is not answered'),
    guard: optional(nameUpTo(200), 'With the choice `false-alarm`: only this guard was wrong'),
    resume: optional(FLAG, 'Resume the run as well'),
  }),
  answers: 'AnswerResult',
  call: ({ project, run, body, caller }) => answerQuestion(project, run, body as AnswerRequest, caller),
})

/** Answers for a person, with all that an answer in a terminal does. */
export async function answerQuestion(
  project: HttpProject,
  run: string,
  request: AnswerRequest,
  caller: Caller,
): Promise<AnswerResult> {
  const { store } = project
  const { choice, note, question, guard, resume = false } = request
  await requireOutside(project, run, 'answered', caller)
  if (resume) requireProgram(project, `pawl answer ${run} ${/^\S+$/.test(choice) ? choice : 1} --resume`)
  const state = await knownState(store, run)
  if (guard !== undefined && choice.trim() !== FALSE_ALARM)
    throw new PawlError('usage.guard', 'A guard goes with the choice "false-alarm": leave it out, or choose that.')
  if (guard !== undefined && !isOnlyDoubt(state, guard)) {
    await falseAlarm(store, run, guard, note)
    return { run, choice: FALSE_ALARM, follows: `Counted against ${guard}, which may be passed once.` }
  }
  if (question !== undefined && state.question?.seq !== question)
    throw new PawlError('question.answered', `Run ${run} no longer asks that: somebody answered it, or the run was ended.`)
  const { option } = await giveAnswer(store, state, choice, note, caller.name)
  const chosen = { run, choice: option?.choice ?? choice, ...(option ? { label: option.label } : {}) }
  const bound = boundNow(state)
  const elsewhere = bound ? sessionWords(bound) : state.config.program
  if (elsewhere !== undefined) {
    const settled = await settleAnswer({ ...project, ceilings: ceilingsOf(project.storePath) }, store, run)
    return { ...chosen, follows: settled ? `The run is ${settled.status}.` : `It takes effect when ${elsewhere} continues it.` }
  }
  const holder = await store.holder(run)
  if (holder) return { ...chosen, follows: `Process ${holder.pid}, which drives it, takes it up.` }
  if (!resume) return { ...chosen, follows: `Continue with: pawl resume ${run}` }
  await startProgram(project, ['resume', run])
  return { ...chosen, follows: 'The run continues.', isResumed: true }
}

/** The answer that a question got; the last one where none is named. */
export async function takenAnswer({ runs }: HttpProject, run: string, question?: number): Promise<TakenAnswer | undefined> {
  const { asked } = (await runs.load(run)).run
  const found = asked.findLast((each) => each.answer !== undefined && (question === undefined || each.seq === question))?.answer
  if (!found) return undefined
  const { at, by = 'somebody at a terminal', choice, label, note } = found
  return { at, by, choice, label, ...(note === undefined ? {} : { note }) }
}

const waive = endpoint({
  method: 'POST',
  path: '/runs/:run/waive',
  about: 'Lets a guard be passed once, now or at its next trip',
  body: settingsSchema({ guard: needed(nameUpTo(200), 'Its name'), note: NOTE }),
  answers: '{ run, guard }',
  call: async ({ project, run, body: { guard, note }, caller }) => {
    await requireOutside(project, run, 'changed', caller)
    const { config } = await knownState(project.store, run)
    const names = config.guards.map(({ name }) => name)
    if (!names.includes(guard))
      throw new PawlError('usage.unknown-guard', `Run ${run} has no guard "${guard}"; it has ${names.join(', ')}.`, {
        value: guard,
      })
    await waiveGuard(project.store, systemClock, run, guard, note, caller.name)
    return { run, guard }
  },
})

const abort = endpoint({
  method: 'POST',
  path: '/runs/:run/abort',
  about: 'Ends a run for good and stops its agent',
  body: settingsSchema({ reason: optional(textUpTo(1000), 'Kept in the journal') }),
  answers: '{ run, status }',
  call: async ({ project, run, body: { reason }, caller }) => {
    await requireOutside(project, run, 'aborted', caller)
    const parts = { store: project.store, clock: systemClock, processes: machineProcesses }
    await abortRun(parts, run, reason, caller.name)
    return { run, status: 'aborted' }
  },
})

const restore = endpoint({
  method: 'POST',
  path: '/runs/:run/restore',
  about: 'Brings back the files of an iteration; those of now are saved first',
  body: settingsSchema({
    tree: optional(nameUpTo(100), 'An iteration, 0 for the start, or a saved tree (default: the best one)'),
  }),
  answers: '{ run, status, snapshot, savedAs?, command? }',
  call: async ({ project, run, body: { tree }, caller }) => {
    await requireOutside(project, run, 'restored', caller)
    const words = ['restore', run, ...(tree === undefined ? [] : [tree])]
    requireProgram(project, `pawl ${words.join(' ')}`)
    await project.runs.load(run)
    return askProgram(project, ['restore', '--yes'], [run, ...(tree === undefined ? [] : [tree])])
  },
})

const resume = endpoint({
  method: 'POST',
  path: '/runs/:run/resume',
  about: 'Resumes a run in the background, where the server was started with --drive',
  body: settingsSchema({
    maxIterations: optional(wholeNumber(1), 'How many iterations it may have from now on'),
    budgetUsd: optional(AMOUNT, 'What it may cost from now on'),
    waive: optional(nameUpTo(200), 'A guard that may be passed once'),
  }),
  answers: 'StartResult',
  call: async ({ project, run, body: { maxIterations, budgetUsd, waive: guard }, caller }): Promise<StartResult> => {
    await requireOutside(project, run, 'resumed', caller)
    requireProgram(project, `pawl resume ${run}`)
    await knownState(project.store, run)
    if (guard !== undefined) await waiveGuard(project.store, systemClock, run, guard, undefined, caller.name)
    return startProgram(project, ['resume', run, ...limitWords({ maxIterations, budgetUsd })])
  },
})

const start = endpoint({
  method: 'POST',
  path: '/runs',
  about: 'Starts a task in the background, where the server was started with --drive',
  body: settingsSchema({
    goal: needed(nameUpTo(20_000), 'What is to be true in the end'),
    id: optional(nameUpTo(100), 'The name of the run (default: made from the goal)'),
    agent: optional(nameUpTo(200), 'The agent (default: as in pawl.yaml)'),
    checks: optional(listUpTo(20, 'a list of commands', nameUpTo(2000)), 'What must pass (default: as in pawl.yaml)'),
    maxIterations: optional(wholeNumber(1), 'How many iterations it may have'),
    budgetUsd: optional(AMOUNT, 'What it may cost'),
    worktree: byDefault(FLAG, false, 'Whether it works in a git worktree of its own'),
  }),
  answers: 'StartResult',
  call: async ({
    project,
    body: { goal, id, agent, checks = [], maxIterations, budgetUsd, worktree },
    caller,
  }): Promise<StartResult> => {
    // A known name would resume that run.
    if (id !== undefined) await requireOutside(project, checkedRunId(id), 'started', caller)
    requireProgram(project, `pawl task "${goal.slice(0, 60)}" --detach`)
    return startProgram(
      project,
      [
        'task',
        ...(id === undefined ? [] : [`--id=${id}`]),
        ...(agent === undefined ? [] : [`--agent=${agent}`]),
        ...checks.map((check) => `--check=${check}`),
        ...limitWords({ maxIterations, budgetUsd }),
        ...(worktree ? ['--worktree'] : []),
      ],
      [goal],
    )
  },
})

const exportRun = endpoint({
  method: 'GET',
  path: '/runs/:run/export',
  about: 'A run as a file: its events exactly as stored, the same with the view of them, or a report to read',
  query: settingsSchema({ format: byDefault(oneOf(['jsonl', 'json', 'markdown']), 'jsonl', 'What to write') }),
  answers: 'the file',
  call: async ({ project, run, query: { format }, context }) => {
    await project.runs.load(run)
    const stored = await project.store.readStored(run)
    const [body, type] = EXPORTS[format]
    const known = format === 'jsonl' ? [] : await project.store.read(run)
    const name = `${run}.${format === 'markdown' ? 'md' : format}`.replaceAll(/[^\w.-]/g, '_')
    return context.body(body(stored, known), 200, {
      'content-type': type,
      'content-disposition': `attachment; filename="${name}"`,
    })
  },
})

type Stored = Awaited<ReturnType<HttpProject['store']['readStored']>>
type Known = Awaited<ReturnType<HttpProject['store']['read']>>

const EXPORTS: Readonly<
  Record<'jsonl' | 'json' | 'markdown', readonly [body: (stored: Stored, known: Known) => string, type: string]>
> = {
  jsonl: [(stored) => stored.map((event) => `${printableJson(event)}\n`).join(''), 'application/jsonl'],
  json: [
    (events, known) => {
      const view = runView(known)
      return `${printableJson({ run: view.run, events, view })}\n`
    },
    'application/json',
  ],
  markdown: [(_stored, known) => runReport(runView(known), ledgerGrid(known)), 'text/markdown; charset=utf-8'],
}

function limitWords({
  maxIterations,
  budgetUsd,
}: {
  readonly maxIterations?: number | undefined
  readonly budgetUsd?: number | undefined
}) {
  return [
    ...(maxIterations === undefined ? [] : ['--max-iterations', String(maxIterations)]),
    ...(budgetUsd === undefined ? [] : ['--budget-usd', String(budgetUsd)]),
  ]
}

/** Refuses what comes from a process of the run itself: an agent must not answer its own question. */
async function requireOutside({ store }: HttpProject, run: string, done: string, { peer }: Caller): Promise<void> {
  if (peer.kind === 'unseen')
    throw new PawlError(
      'serve.unseen',
      `Run ${run} can't be ${done} by a process of this machine that left or hides. Keep the connection open, and ask 127.0.0.1 directly.`,
    )
  if (peer.kind !== 'processes') return
  const holder = await store.holder(run)
  for (const pid of peer.pids) {
    // The process that drives a run passes on what its agent sends from a box.
    if (holder?.pid === pid && isProcessAlive(holder)) throw ownWorkError(run, done, `process ${pid} drives it`)
    const sign = await signOfOwnWork(store, run, builtInFolds, { pid })
    if (sign !== undefined) throw ownWorkError(run, done, sign)
  }
}

function requireProgram({ program }: HttpProject, command: string): void {
  if (program) return
  throw new PawlError(
    'serve.no-drive',
    `This server only shows runs and takes answers. Start it with --drive to let it run agents, or use a terminal: ${command}`,
  )
}

/** Starts a command in the background and says which process drives the run. */
async function startProgram(project: HttpProject, words: readonly string[], rest: readonly string[] = []): Promise<StartResult> {
  const { run, pid } = await askProgram(project, [...words, '--detach'], rest)
  return { run: String(run), pid: Number(pid) }
}

/** Runs a command of Pawl's own, with all that it does and refuses in a terminal, and reads what it says. */
async function askProgram(
  { program = [], root }: HttpProject,
  words: readonly string[],
  rest: readonly string[] = [],
): Promise<Readonly<Record<string, unknown>>> {
  const [file = '', ...args] = program
  const child = spawn(file, [...args, ...words, '--json', ...(rest.length > 0 ? ['--', ...rest] : [])], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: PROGRAM_MS_MAX,
  })
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  const said = lastDocument(output) ?? lastDocument(errors)
  const { error, status } = said ?? {}
  if (error !== undefined) {
    const { code, message } = error as { readonly code: string; readonly message: string }
    throw new PawlError(code, message)
  }
  if (said === undefined) throw new PawlError('serve.program', `\`pawl ${words.join(' ')}\` failed: ${errors.trim().slice(-500)}`)
  if (status === 'held') throw new PawlError('run.held', 'Another process drives this run now.')
  return said
}

const PROGRAM_MS_MAX = 60_000

function lastDocument(output: string): Readonly<Record<string, unknown>> | undefined {
  const line = output
    .trim()
    .split('\n')
    .findLast((each) => each.startsWith('{'))
  try {
    return line === undefined ? undefined : (JSON.parse(line) as Record<string, unknown>)
  } catch {
    return undefined
  }
}

/** The addresses that do something. */
export const ACT_ENDPOINTS: readonly Endpoint[] = [start, answer, waive, abort, restore, resume, exportRun]
