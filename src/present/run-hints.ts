import { agentName } from '../core/answered-config.ts'
import type { Event } from '../core/event.ts'
import type { PartSpec } from '../core/run-config.ts'
import type { State } from '../core/state.ts'
import { shortened } from '../core/wording.ts'
import { commitsHint } from './commits-hint.ts'
import { deniedHint } from './denied-hint.ts'
import { isResumedHere } from './is-resumed-here.ts'
import { timeLimitHint } from './time-limit-hint.ts'
import { unseenHint } from './unseen-hint.ts'

/** What in a journal is easily missed and would help the run on. */
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

/** Without a model Gemini CLI asks a classifier first, and where its provider fails that goes on in silence until the time limit. */
function modelHint(state: State, events: readonly Event[]): readonly string[] {
  const { run, config } = state
  const last = events.findLast((event) => event.type === 'work.failed' || event.type === 'work.finished')
  const isSilent =
    last?.type === 'work.failed' && last.data.reason === 'timed-out' && /It said nothing\.$/m.test(last.data.message)
  if (!isSilent || !isResumedHere(state)) return []
  const players: readonly PartSpec[] = [config.agent, ...(config.fallbacks ?? []), ...Object.values(config.roles ?? {})]
  const worker = players.find((spec) => agentName(spec) === last.by.name)
  if (worker?.name !== 'gemini' || worker.settings['model'] !== undefined) return []
  const agent = agentName(worker)
  const how =
    worker === config.agent ? `pawl resume ${run} --model gemini-2.5-pro` : `model: under agents: ${agent}: in pawl.yaml`
  return [`${agent} has no model: then it asks a classifier first, and says nothing while its provider fails. Name one: ${how}`]
}
