import { agentName, type PartSpec } from '../core/run-config.ts'
import type { Event } from '../core/event.ts'
import type { State } from '../core/state.ts'
import { money, shortened, thousands, withFix } from '../core/wording.ts'
import type { Denied } from '../core/event-data.ts'
import { boundNow } from '../core/outcome.ts'
import { guardsIn, type Trip } from '../core/trip.ts'
import { costUnknownWords, tokensUnknownWords } from '../core/spending.ts'

/** Whether hints are made of an event; `before` is the state before it. */
export function tellsHint({ type, data }: Event, before: State | undefined): boolean {
  // The first look shows what was there before the run.
  return type === 'workspace.observed' ? before?.tree !== undefined && data.notes !== undefined : WORK.has(type)
}

const WORK: ReadonlySet<Event['type']> = new Set(['work.started', 'work.finished', 'work.failed', 'work.asked', 'work.answered'])

/** What in a journal is easily missed and would help the run on, read out of the events that tell a hint. */
export function hintsIn(state: State, events: readonly Event[]): readonly string[] {
  return [refusalHint, deniedHint, timeLimitHint, modelHint, unseenHint, commitsHint].flatMap((hint) => hint(state, events))
}

/** What a policy refuses nobody sees: an agent that may do nothing looks like one that does nothing. */
function refusalHint(state: State, events: readonly Event[]): readonly string[] {
  const refused = events.filter(isRefused)
  if (refused.length === 0) return []
  const titles = [...new Set(refused.map(({ data }) => shortened(data.ask.title, TITLE_LENGTH_MAX)))]
  const more = titles.length > TITLES_MAX ? ', …' : ''
  const wishes = refused.length === 1 ? '1 wish was' : `${refused.length} wishes were`
  const what = `${wishes} refused by the policy: ${titles.slice(0, TITLES_MAX).join(', ')}${more}.`
  if (!isResumedHere(state)) return [what]
  const agent = refused.map(({ data }) => workerOf(data.key, events)).findLast((name) => name !== undefined) ?? 'NAME'
  return [
    `${what} To be asked instead, write permissions: ask for ${agent} into pawl.yaml, then: pawl resume ${state.run} --agent ${agent}`,
  ]
}

const TITLES_MAX = 3
const TITLE_LENGTH_MAX = 60

function isRefused(event: Event): event is Event<'work.answered'> {
  if (event.type !== 'work.answered' || event.data.how !== 'policy') return false
  const { ask, option } = event.data
  return ask.options.find(({ id }) => id === option)?.kind.startsWith('deny') === true
}

function workerOf(key: string, events: readonly Event[]): string | undefined {
  return events.findLast((event) => event.type === 'work.started' && event.data.key === key)?.by.name
}

/** Without a model Gemini CLI asks a classifier first, and where its provider fails that continues in silence until the time limit. */
function modelHint(state: State, events: readonly Event[]): readonly string[] {
  const { run, config } = state
  const last = events.findLast((event) => event.type === 'work.failed' || event.type === 'work.finished')
  const isSilent = last?.type === 'work.failed' && last.data.reason === 'timed-out' && last.data.saidNothing === true
  if (!isSilent || !isResumedHere(state)) return []
  const players: readonly PartSpec[] = [config.agent, ...(config.fallbacks ?? []), ...Object.values(config.roles ?? {})]
  const worker = players.find((spec) => agentName(spec) === last.by.name)
  if (worker?.name !== 'gemini' || worker.settings['model'] !== undefined) return []
  const agent = agentName(worker)
  const how =
    worker === config.agent ? `pawl resume ${run} --model gemini-2.5-pro` : `model: under agents: ${agent}: in pawl.yaml`
  return [`${agent} has no model: then it asks a classifier first, and says nothing while its provider fails. Name one: ${how}`]
}

/** What agents were denied by their own rules, of each the last time it worked; nothing if it was denied nothing then. */
function deniedHint(state: State, events: readonly Event[]): readonly string[] {
  const last = new Map<string, Denied | undefined>()
  for (const { type, by, data } of events) {
    if (type === 'work.finished' || type === 'work.failed') last.set(by.name ?? '', data.denied)
  }
  return [...last.values()].flatMap((denied) => (denied ? [isResumedHere(state) ? withFix(denied) : denied.message] : []))
}

/**
 * More iterations do not help an agent that is ended at its time limit each time: how to give it more. Nothing if it was the run
 * whose time was over: another limit of the agent would change nothing then.
 */
export function timeLimitHint(state: State, events: readonly Event[]): readonly string[] {
  const last = events.findLast(({ type }) => type === 'work.failed' || type === 'work.finished' || type === 'work.asked')
  const isOutOfTime = last?.type === 'work.failed' && last.data.reason === 'timed-out' && last.data.fault === 'agent'
  if (!isOutOfTime || state.question === undefined || !isResumedHere(state) || boundNow(state)) return []
  if (state.question.trips.some(isOfTime)) return []
  const who = last.by.name ?? 'The agent'
  const choices = state.question.question.options.filter(
    ({ consequence }) => consequence.kind === 'continue' && !consequence.reply,
  )
  // Which of several ways to continue is right, only the person knows.
  const isPlain = choices[0]?.choice === 'continue'
  const how = isPlain ? 'To give it more:' : 'To give it more, with the number of your answer for N:'
  return choices.length === 0
    ? []
    : [`${who} ran out of time. ${how} pawl resume ${state.run} --timeout 1h --answer ${isPlain ? 'continue' : 'N'}`]
}

/** Whether it was the time of the run that was used up. */
function isOfTime(trip: Trip): boolean {
  const guards = guardsIn(trip)
  const isTopic = trip.topic === undefined || trip.topic === 'time'
  return guards.includes('deadline') || (guards.includes('budget') && isTopic)
}

/**
 * A limit of money or tokens does not see work that nobody reported the cost or the tokens of. Where the limit is reached all the same, its
 * own sentence says so.
 */
function unseenHint(state: State, events: readonly Event[]): readonly string[] {
  const { run, totals, config } = state
  const limits = config.guards.find(({ name }) => name === 'budget')?.settings ?? {}
  const maxOf = (name: string): number => Number(limits[name] ?? 0)
  const silent = silentAgents(events)
  const tokensUnknown = tokensUnknownWords(totals)
  const [costMax, tokensMax] = [money(maxOf('costUsdMax')), thousands(maxOf('tokensMax'))]
  const budgets = [
    {
      what: 'cost',
      them: 'it',
      max: maxOf('costUsdMax'),
      used: totals.costUsd,
      unknown: costUnknownWords(totals),
      budget: `the cost budget of ${costMax}`,
      usedWords: `at least ${money(totals.costUsd)} of the cost budget of ${costMax} is used`,
    },
    {
      what: 'tokens',
      them: 'them',
      max: maxOf('tokensMax'),
      used: totals.tokens,
      unknown: tokensUnknown,
      budget: `the budget of ${tokensMax} tokens`,
      usedWords: `at least ${thousands(totals.tokens)} of the budget of ${tokensMax} tokens are used`,
    },
  ]
  const who = silent.length === 1 ? `The agent ${silent[0]} tells` : `The agents ${silent.join(' and ')} tell`
  const whose = silent.length === 1 ? 'its' : 'their'
  const sentences = budgets
    .filter(({ max, used }) => max > 0 && used < max)
    .flatMap(({ what, them, used, unknown, budget, usedWords }) => [
      ...(unknown === undefined
        ? []
        : [`${capitalized(unknown)}: ${used === 0 ? `${budget} does not see ${them}` : usedWords}.`]),
      ...(silent.length === 0 ? [] : [`${who} no ${what}: ${budget} does not see ${whose} work.`]),
    ])
  if (sentences.length === 0) return []
  const areTokensSeen = tokensUnknown === undefined && silent.length === 0
  if (!isResumedHere(state) || maxOf('durationMsMax') > 0 || (areTokensSeen && maxOf('tokensMax') > 0))
    return [sentences.join(' ')]
  const way = areTokensSeen
    ? `Tokens and time are seen: pawl resume ${run} --budget-tokens COUNT --budget-time 40m`
    : `Time is always seen: pawl resume ${run} --budget-time 40m`
  return [[...sentences, way].join(' ')]
}

/** Agents that worked, and of which no work ever told what it took. */
function silentAgents(events: readonly Event[]): readonly string[] {
  const worked = new Set<string>()
  const telling = new Set([WITHOUT_MODEL])
  for (const { type, by, data } of events) {
    const name = by.role === 'agent' ? (by.name ?? '') : ''
    if (type === 'work.started' && data.tellsUsage) telling.add(name)
    if (type !== 'work.finished' && !(type === 'work.failed' && data.fault === 'agent')) continue
    worked.add(name)
    if (data.costUsd !== undefined || data.tokens !== undefined || data.isUsagePartial) telling.add(name)
  }
  return [...worked].filter((name) => name !== '' && !telling.has(name))
}

/** Pawl's own agent asks no model, so it costs nothing. */
const WITHOUT_MODEL = 'tinker'

function capitalized(words: string): string {
  return `${words[0]?.toUpperCase()}${words.slice(1)}`
}

/** What became of the repository's branch while the run went: commits of an agent are in no diff of the files. */
function commitsHint({ run }: State, events: readonly Event[]): readonly string[] {
  const looks = events.filter((event) => event.type === 'workspace.observed')
  const news = looks.flatMap((event) => newsIn(event).map((note) => ({ note, seq: event.seq })))
  const earlier = news.length - NEWS_MAX
  const more = earlier > 0 ? [`${earlier} more before: pawl log ${run} --type workspace.observed`] : []
  return [...more, ...news.slice(-NEWS_MAX).map(({ note, seq }) => `${note} (event ${seq}).`)]
}

const NEWS_MAX = 3

/** Whether `pawl resume` with other settings does anything: not on a run that is over, nor on one that only its program continues. */
function isResumedHere({ status, config }: State): boolean {
  return status !== 'completed' && status !== 'aborted' && config.program === undefined
}

/** The notes of a look that say what happened. The others say what it left out, the same at each look, and are shown once. */
export function newsIn({ data: { notes = [], leftOut = 0 } }: Event<'workspace.observed'>): readonly string[] {
  return notes.slice(0, notes.length - leftOut)
}
