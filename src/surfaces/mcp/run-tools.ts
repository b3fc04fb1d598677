import {
  byDefault,
  COUNT,
  FLAG,
  listOf,
  nameUpTo,
  needed,
  NUMBER,
  optional,
  settingsSchema,
  TEXTS,
  textUpTo,
  TRUE,
  wholeNumberBetween,
  WORDS,
} from '../../schema/kinds.ts'
import { outcomeOf } from '../../core/outcome.ts'
import { AGENT, outsideSettings } from './outside-agent.ts'
import { presentState, unknownRun, withToolSession } from './tool-session.ts'
import { type Call, OPEN_QUESTION, PROOF, proofAnswer, type ResultOf, TASK_ID, tool } from './tool.ts'
import type { SealedEvent } from '../../stores/store.ts'
import { shortened } from '../../core/wording.ts'
import { runNamed } from './checkpoints.ts'
import { type Spent, spentOf, totalsSoFar } from '../../core/spending.ts'
import type { State } from '../../core/state.ts'
import { runProof } from '../../present/proof-view.ts'
import { questionAnswer, questionText } from '../../present/question.ts'
import { optionChosen } from '../../core/question.ts'
import { PawlError } from '../../core/pawl-error.ts'
import { answerRun, nothingToAnswer } from '../../engine/person-facts.ts'
import { inputRequired, type InputRequiredResult, inputResponse } from '@modelcontextprotocol/server'
import type { Answer } from '../../engine/parts.ts'
import { systemClock } from '../../process/clock.ts'
import { settleAnswer } from './validate-work.ts'

const LOOP_OR_TASK = needed(TASK_ID, 'The loop (iterationId) or its task.')

/** What a run took, for the result of a tool. What no agent reported is not there. */
const SPENT_FIELDS = {
  costUsd: optional(NUMBER),
  /** Some of the work has no known cost: it was more, or nobody knows how much. */
  isCostPartial: optional(TRUE),
  tokens: optional(NUMBER),
  /** Some of the work told no tokens, or not all: it took more, or nobody knows how many. */
  areTokensPartial: optional(TRUE),
}

const ROW = settingsSchema({
  run: WORDS,
  taskId: optional(WORDS),
  status: WORDS,
  iterations: NUMBER,
  ...SPENT_FIELDS,
  message: WORDS,
  /** How far a run that is complete is proven: red-to-green, self-tested, reviewed or unproven; of several tasks the weakest. */
  proof: optional(WORDS),
  updatedAt: WORDS,
  hasQuestion: FLAG,
})

/** The runs of the project, the one that moved last first. */
export const runList = tool({
  name: 'run_list',
  title: 'List runs',
  description: 'Lists the loops of this project, the one that moved last first: where each stands and whether it asks something.',
  isReadOnly: true,
  input: settingsSchema({ limit: byDefault(wholeNumberBetween(1, 100), 20) }),
  output: settingsSchema({ runs: listOf('a list of runs', ROW), total: NUMBER }),
  call: async ({ limit }, { project }) => {
    const entries = (await project.store.runs()).toSorted((one, other) => other.updatedAt - one.updatedAt)
    const runs: ResultOf<typeof ROW>[] = []
    for (const { run, updatedAt } of entries.slice(0, limit)) {
      const state = await presentState(project, run)
      if (!state) continue
      const { status, iterations, message } = outcomeOf(state)
      runs.push({
        run,
        taskId: outsideSettings(state)?.taskId,
        status,
        iterations,
        ...spentView(state),
        message,
        proof: runProof(state),
        updatedAt: new Date(updatedAt).toISOString(),
        hasQuestion: state.question !== undefined,
      })
    }
    return { runs, total: entries.length }
  },
})

const EVENT = settingsSchema({ seq: NUMBER, at: WORDS, type: WORDS, by: WORDS, data: WORDS })

const ITERATION = settingsSchema({
  iteration: NUMBER,
  passed: FLAG,
  score: NUMBER,
  failing: NUMBER,
  files: TEXTS,
  said: optional(WORDS),
})

/** What happened in a run, fact by fact. */
export const runHistory = tool({
  name: 'run_history',
  title: 'History of a run',
  description: 'Shows where a loop stands, how its last iterations went, and its newest facts.',
  isReadOnly: true,
  input: settingsSchema({
    run: LOOP_OR_TASK,
    limit: byDefault(wholeNumberBetween(1, 500), 50, 'How many of the newest facts.'),
    after: byDefault(COUNT, 0, 'Only facts after this seq.'),
  }),
  output: settingsSchema({
    run: WORDS,
    status: WORDS,
    message: WORDS,
    ...SPENT_FIELDS,
    /** Why the work is believed to be done, or what speaks against it. */
    proof: optional(PROOF),
    iterations: listOf('a list of iterations', ITERATION),
    best: optional(settingsSchema({ iteration: NUMBER, score: NUMBER })),
    events: listOf('a list of events', EVENT),
  }),
  call: async ({ run: id, limit, after }, { project }) => {
    const state = await runNamed(project, id)
    const { status, message, best } = outcomeOf(state)
    const events = (await project.store.read(state.run, after)).slice(-limit)
    return {
      run: state.run,
      status,
      message,
      ...spentView(state),
      proof: proofAnswer(state),
      iterations: state.recent.map(({ iteration: number, verdict, files, said }) => ({
        iteration: number,
        ...verdict,
        files,
        said,
      })),
      best: best && { iteration: best.iteration, score: best.score },
      events: events.map(eventView),
    }
  },
})

function eventView({ seq, at, type, by, data }: SealedEvent): ResultOf<typeof EVENT> {
  const who = by.name === undefined ? by.role : `${by.role} ${by.name}`
  const told = shortened(JSON.stringify(data, withoutUnknownCost), DATA_LENGTH_MAX)
  return { seq, at: new Date(at).toISOString(), type, by: who, data: told }
}

/** A journal has 0 for a cost that nobody reported. */
function withoutUnknownCost(name: string, value: unknown): unknown {
  return name === 'costUsd' && value === 0 ? undefined : value
}

const DATA_LENGTH_MAX = 500

/** The same of a run. */
function spentView(state: State): Omit<Spent, 'activeMs'> {
  const { activeMs: _not, ...spent } = spentOf(totalsSoFar(state))
  return spent
}

const QUESTION_OUTPUT = settingsSchema({
  run: WORDS,
  status: WORDS,
  message: WORDS,
  question: optional(OPEN_QUESTION),
  /** Whether a person answered just now, and what. */
  answered: FLAG,
  choice: optional(WORDS),
})

/** The open question of a run; asked of the person where the client can. */
export const runQuestion = tool({
  name: 'run_question',
  title: 'Ask the person',
  description:
    'Shows what a loop asks and asks the person through your client where it can. Otherwise tell the person the question and the command that answers it; then call iteration_next.',
  input: settingsSchema({
    run: LOOP_OR_TASK,
    ask: byDefault(FLAG, true, 'Whether to ask the person now, where the client can.'),
  }),
  output: QUESTION_OUTPUT,
  call: async (args, call) => {
    const state = await runNamed(call.project, args.run)
    const { run, status, message, question } = state
    if (!question) return { run, status, message, answered: false }
    const shown = { run, status, message, question: questionAnswer(run, question) }
    const asked = args.ask ? askPerson(call, state) : undefined
    if (asked?.kind === 'ask') return asked.result
    if (asked?.kind !== 'answer') return { ...shown, answered: false }
    const after = await answerQuestion(call, state, asked.answer)
    return { run, status: after.status, message: after.message, answered: true, choice: asked.answer.choice }
  },
})

const ANSWER_INPUT = settingsSchema({
  run: LOOP_OR_TASK,
  choice: needed(nameUpTo(200), 'The name or number of an option.'),
  note: optional(textUpTo(10_000), "The person's words for the agent."),
})

/** A person's answer, handed in by their agent: confirmed by the person where the client can ask, else only where it is allowed. */
export const runAnswer = tool({
  name: 'run_answer',
  title: "Hand in the person's answer",
  description:
    "Answers a loop's question with what a person decided. The person confirms it through your client; a client that cannot ask is told the command for the person instead. Never answer for the person.",
  input: ANSWER_INPUT,
  output: settingsSchema({ run: WORDS, choice: WORDS, status: WORDS, message: WORDS }),
  call: async ({ run: id, choice, note }, call) => {
    const state = await runNamed(call.project, id)
    const { run, question } = state
    if (!question) throw await nothingToAnswer(call.project.store, state)
    const option = optionChosen(question.question, choice)
    if (!option) {
      const names = question.question.options.map((each, index) => `${index + 1} (${each.choice})`).join(', ')
      throw new PawlError('question.no-such-option', `"${choice}" is not an answer to run ${run}; it takes ${names}.`)
    }
    const given = { choice: option.choice, ...(note === undefined ? {} : { note }) }
    // A command is never the agent's word for a person's: they confirm it themselves.
    const isCommand = option.consequence.kind === 'continue' && option.consequence.takesCommand === true
    const reply =
      call.project.relaysAnswers && !isCommand ? { kind: 'answer' as const, answer: given } : askPerson(call, state, given)
    if (reply?.kind === 'ask') return reply.result
    if (reply?.kind !== 'answer') throw notAllowed(run, given.choice, reply?.kind)
    const after = await answerQuestion(call, state, reply.answer)
    return { run, choice: reply.answer.choice, status: after.status, message: after.message }
  },
})

function notAllowed(run: string, choice: string, kind: 'declined' | undefined): PawlError {
  const why = kind === 'declined' ? 'The person did not confirm it' : 'Only a person may answer, and your client cannot ask them'
  return new PawlError('mcp.person-only', `${why}. They can answer in a terminal with: pawl answer ${run} ${choice}`)
}

/** What became of asking a person through their client; `undefined` where it cannot ask. */
export type PersonReply =
  | { readonly kind: 'ask'; readonly result: InputRequiredResult }
  | { readonly kind: 'answer'; readonly answer: Answer }
  | { readonly kind: 'declined' }

/**
 * Asks the open question through the client, or reads the answer when the call comes back with it. An answer to a question that was
 * settled meanwhile is not taken for the next: its key names the question.
 */
function askPerson({ canElicit, inputResponses }: Call, { run, question }: State, proposed?: Answer): PersonReply | undefined {
  if (!question) return undefined
  const key = `answer-${question.seq}`
  const said = inputResponse(inputResponses, key)
  if (said.kind === 'elicit') {
    const answer = said.action === 'accept' ? answerIn(said.content, question.question.options.length) : undefined
    const isOption = answer !== undefined && optionChosen(question.question, answer.choice) !== undefined
    return isOption ? { kind: 'answer', answer } : { kind: 'declined' }
  }
  if (!canElicit) return undefined
  const { options } = question.question
  const message = questionText(run, question.question, proposed)
  const requestedSchema = {
    type: 'object' as const,
    properties: {
      choice: { type: 'string' as const, enum: options.map(({ choice }) => choice), description: 'What should happen' },
      note: { type: 'string' as const, maxLength: 2000, description: 'What the agent should know' },
    },
    required: ['choice'],
  }
  return { kind: 'ask', result: inputRequired({ inputRequests: { [key]: inputRequired.elicit({ message, requestedSchema }) } }) }
}

/** What came through a client is not believed before it is looked at. */
function answerIn(content: Record<string, unknown> | undefined, optionsCount: number): Answer | undefined {
  const { choice, note } = content ?? {}
  if (typeof choice !== 'string' || optionsCount === 0) return undefined
  const words = typeof note === 'string' ? note.trim().slice(0, 2000) : ''
  return { choice, ...(words === '' ? {} : { note: words }) }
}

/**
 * Records a person's answer. Where the run is driven through MCP, one that ends it or adds a check takes effect at once, since nobody
 * works for that; one that lets the agent work on does so when it asks for the next iteration.
 */
async function answerQuestion({ project, signal }: Call, { run }: State, answer: Answer): Promise<State> {
  await answerRun(project.store, systemClock, run, answer)
  const state = await known(project, run)
  const isForPawl = state.answer !== undefined || state.added !== undefined
  if (!isForPawl || state.config.agent.name !== AGENT) return state
  await withToolSession(project, { run, signal }, settleAnswer)
  return known(project, run)
}

async function known(project: Call['project'], run: string): Promise<State> {
  const state = await presentState(project, run)
  if (!state) throw unknownRun(run)
  return state
}
