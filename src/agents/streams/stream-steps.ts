import { ACTIONS_KEPT_MAX } from '../../core/action.ts'
import { actionOf, uncutActionOf } from '../../core/action-of.ts'
import { FILES_KEPT_MAX, type Usage } from '../../core/event-data.ts'
import { shortened } from '../../core/wording.ts'
import { growingEnd } from '../clean-words.ts'
import { finalEventOf, type AgentError } from '../final-event.ts'
import type { Fields, OpenCall, StreamReading } from './stream-reading.ts'

/** The words an agent says; a piece of a message (`isOpen`) is joined to what came of it before. */
export function said(reading: StreamReading, text: string, { isOpen = false } = {}): StreamReading {
  if (text === '') return reading
  const rest = gotOn(reading)
  const isMore = reading.isMessageOpen && isOpen
  const message = growingEnd(isMore ? reading.message + text : text, WORDS_LENGTH_MAX)
  const words = growingEnd(`${reading.words}${isMore || reading.words === '' ? '' : '\n\n'}${text}`, WORDS_LENGTH_MAX)
  const now = message
    .split('\n')
    .findLast((line) => line.trim() !== '')
    ?.trim()
  return { ...rest, words, message, isMessageOpen: isOpen, ...(now === undefined ? {} : { now: shortened(now, NOW_LENGTH_MAX) }) }
}

/** The agent calls a tool. */
export function called(reading: StreamReading, call: OpenCall): StreamReading {
  const rest = gotOn(reading)
  const { label } = actionOf(call)
  return {
    ...rest,
    isMessageOpen: false,
    calls: [...reading.calls.filter(({ id }) => id !== call.id), call].slice(-CALLS_MAX),
    now: shortened(label === undefined ? call.name : `${call.name} ${label}`, NOW_LENGTH_MAX),
  }
}

/** A tool answered. What nobody saw called says nothing. */
export function answered(reading: StreamReading, id: string, response: unknown): StreamReading {
  const call = reading.calls.find((each) => each.id === id)
  if (!call) return reading
  const actions = [...reading.actions, uncutActionOf({ ...call, response })]
  return {
    ...reading,
    calls: reading.calls.filter((each) => each !== call),
    actions: actions.slice(-ACTIONS_KEPT_MAX),
    actionsCut: reading.actionsCut + Math.max(0, actions.length - ACTIONS_KEPT_MAX),
  }
}

/** The agent edits a file, as it says. */
export function touched(reading: StreamReading, path: unknown): StreamReading {
  if (typeof path !== 'string' || path === '' || reading.files.includes(path)) return reading
  return reading.files.length < FILES_KEPT_MAX ? { ...reading, files: [...reading.files, path] } : reading
}

/** The agent's own last event: how it ended, in the form all agents' endings have. */
export function ended(reading: StreamReading, event: Fields): StreamReading {
  const ending = finalEventOf(event, JSON.stringify(event))
  return ending === undefined ? reading : { ...reading, ending }
}

/** The provider refused, and the agent tries again. */
export function refused(reading: StreamReading, refusal: AgentError): StreamReading {
  return { ...reading, refusal, now: shortened(`waits for its provider: ${refusal.message}`, NOW_LENGTH_MAX) }
}

/** The provider answered again: what it refused is over. */
export function gotOn({ refusal: _over, ...rest }: StreamReading): StreamReading {
  return rest
}

/** What is known besides: who, with what model. */
export function known(
  reading: StreamReading,
  { session, model }: { readonly session?: unknown; readonly model?: unknown },
): StreamReading {
  if (isSame(session, reading.session) && isSame(model, reading.model)) return reading
  return {
    ...reading,
    ...(isSame(session, reading.session) ? {} : { session: session as string }),
    ...(isSame(model, reading.model) ? {} : { model: model as string }),
  }
}

function isSame(value: unknown, before: string | undefined): boolean {
  return typeof value !== 'string' || value === '' || value === before
}

/** Two amounts together; what neither knows stays unknown. */
export function added(one: Usage, other: Usage): Usage {
  const costUsd = one.costUsd === undefined && other.costUsd === undefined ? undefined : (one.costUsd ?? 0) + (other.costUsd ?? 0)
  const tokens = one.tokens === undefined && other.tokens === undefined ? undefined : (one.tokens ?? 0) + (other.tokens ?? 0)
  return { ...(costUsd === undefined ? {} : { costUsd }), ...(tokens === undefined ? {} : { tokens }) }
}

const NOW_LENGTH_MAX = 160
const CALLS_MAX = 50
const WORDS_LENGTH_MAX = 64 * 1024
