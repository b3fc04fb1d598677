import type { EffectKey, Usage } from '../core/event-data.ts'
import type { Question } from '../core/question.ts'
import type { OpenQuestion, State } from '../core/state.ts'
import type { Step } from '../core/step.ts'
import type { Answer, DriveOptions, Parts } from './parts.ts'
import type { Inbox } from './inbox.ts'
import { perform } from './perform.ts'
import { answerFacts } from './person-facts.ts'

/** Everything under way outside the pure side: effects, a question to a person, a timer. */
export interface EffectRunner {
  /** Starts what the step asks for and is not under way yet; drops a question or timer that is no longer wanted. */
  begin(step: Step, state: State): void
  /** Tells all to stop; each still posts what became of it. */
  stop(): void
  isIdle(): boolean
  /** Whether the effect of this key has begun here and not come to its end. */
  isUnderWay(key: string): boolean
  /** Whether a person was asked and does not want to answer now. */
  isLeft(): boolean
  settled(): Promise<void>
}

/** Nothing under way yet. */
export function makeEffectRunner(parts: Parts, run: string, inbox: Inbox, onProgress: DriveOptions['onProgress']): EffectRunner {
  const underWay = new Map<string, { readonly end: AbortController; readonly settled: Promise<void> }>()
  let opening: Promise<{ readonly cwd: string }> | undefined
  let opened: { readonly cwd: string } | undefined
  /** Keys that the last step asked for while they were under way. */
  const wantedAgain = new Set<string>()
  let hasLeft = false
  let isStopping = false

  const start = (key: string, job: (signal: AbortSignal) => Promise<void>): void => {
    if (underWay.has(key)) return void wantedAgain.add(key)
    const end = new AbortController()
    underWay.set(key, { end, settled: untilSettled(key, job(end.signal)) })
  }

  const untilSettled = async (key: string, working: Promise<void>): Promise<void> => {
    try {
      await working
    } catch (error) {
      inbox.fail(error)
    }
    underWay.delete(key)
    // Its facts have woken the loop already; its end matters only to one who waits for it.
    if (wantedAgain.delete(key) || isStopping || hasLeft) inbox.wake()
  }

  /** One question at a time, and none to a person who has left. */
  let lastAsked: Promise<unknown> = Promise.resolve()
  const askPerson = (question: Question, signal: AbortSignal): Promise<Answer | undefined> => {
    const answer = lastAsked.then(async () => {
      if (signal.aborted || hasLeft || !parts.person) return undefined
      const given = await parts.person.ask(run, question, signal)
      if (!given && !signal.aborted) hasLeft = true
      return given
    })
    lastAsked = answer.catch(() => undefined)
    return answer
  }

  const inFlight = new Map<EffectKey, Usage>()
  const watching = { ...(parts.person ? { askPerson } : {}), ...(onProgress ? { onProgress } : {}) }
  const startEffects = (step: Extract<Step, { kind: 'perform' }>, state: State): void => {
    for (const effect of step.effects) {
      start(effect.key, (signal) => {
        const begun = { parts, state, signal, post: inbox.post, inFlight, ...watching }
        return opened
          ? perform(effect, { ...begun, cwd: opened.cwd })
          : open(state).then(({ cwd }) => perform(effect, { ...begun, cwd }))
      })
    }
  }

  const open = async ({ tree }: State): Promise<{ readonly cwd: string }> => {
    opening ??= parts.workspace.open(run, tree?.snapshot)
    return (opened = await opening)
  }

  const startTimer = (state: State, until: number): void => {
    start('wait/timer', async (signal) => {
      await parts.clock.sleepUntil(until, signal)
      if (signal.aborted || !state.timer) return
      const { timer, seq } = state.timer
      await inbox.post([{ type: 'timer.fired', at: parts.clock.now(), by: { role: 'runner' }, because: seq, data: { timer } }])
    })
  }

  const askOpenQuestion = ({ question }: State): void => {
    if (!parts.person || !question || hasLeft) return
    start(personKey(question), async (signal) => {
      const answer = await askPerson(question.question, signal)
      if (signal.aborted || !answer) return
      await inbox.post(answerFacts(run, question, answer, parts.clock.now()))
    })
  }

  return {
    begin: (step, state) => {
      if (wantedAgain.size > 0) wantedAgain.clear()
      for (const [key, { end }] of underWay) {
        if (key.startsWith('wait/') && key !== wantedWait(step, state)) end.abort()
      }
      if (step.kind === 'perform') startEffects(step, state)
      else if (step.kind === 'wait' && step.for === 'timer' && step.until !== undefined) startTimer(state, step.until)
      else if (step.kind === 'wait' && step.for === 'person') askOpenQuestion(state)
    },
    stop: () => {
      isStopping = true
      for (const { end } of underWay.values()) end.abort()
    },
    isIdle: () => underWay.size === 0,
    isUnderWay: (key) => underWay.has(key),
    isLeft: () => hasLeft,
    settled: async () => {
      await Promise.all([...underWay.values()].map(({ settled }) => settled))
    },
  }
}

/** The wait that is to continue. A question stays with the person while what others left is looked at; another question is another wait. */
function wantedWait(step: Step, { status, question, answer }: State): string | undefined {
  if (status === 'escalated' && question && !answer) return personKey(question)
  return step.kind === 'wait' && step.for === 'timer' ? 'wait/timer' : undefined
}

function personKey({ seq }: Pick<OpenQuestion, 'seq'>): string {
  return `wait/person/${seq}`
}
