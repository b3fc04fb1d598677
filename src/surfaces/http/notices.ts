import { readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Event, RunId, Seq } from '../../core/event.ts'
import { isDamage } from '../../core/pawl-error.ts'
import { safeText } from '../../core/safe-text.ts'
import { counted } from '../../core/wording.ts'
import { loadState } from '../../engine/session.ts'
import { builtInFolds } from '../../loops/evolve.ts'
import { goalOf } from '../../present/run-view.ts'
import { questionInWords, textOf } from '../../present/words.ts'
import type { NoticeKind, NoticeSettings, NoticeTarget } from '../../settings/notice-settings.ts'
import { writePrivate } from '../../settings/user-files.ts'
import type { Store } from '../../stores/store.ts'
import type { Devices } from './devices.ts'
import { type Notice, sendNotice, sendPush } from './notice-services.ts'
import type { PushSubscriptionKeys } from './web-push.ts'

/** What was seen and what is still to be sent, kept beside the store. */
interface Kept {
  /** The last event that was looked at, by run. */
  readonly seen: Record<RunId, Seq>
  readonly pending: readonly Pending[]
  /** Browsers that asked for notices. */
  readonly push: readonly PushTarget[]
}

/** A browser that gets notices of this project, and the device that it is. */
interface PushTarget extends PushSubscriptionKeys {
  readonly device: string
}

interface Pending {
  readonly run: RunId
  readonly seq: Seq
  readonly kind: NoticeKind
  readonly at: number
  /** The targets that don't have it yet: by their place in the settings, or `push` and the device. */
  readonly to: readonly string[]
  readonly tries: number
}

export interface NoticesOptions {
  readonly store: Store
  readonly storePath: string
  /** Default: nobody but browsers that asked for notices. */
  readonly settings?: NoticeSettings
  readonly devices: Devices
  /** The link that answers a question. */
  readonly linkFor: (run: RunId, question: Seq) => string
  /** Where people reach the server: push services want to know who sends. */
  readonly url: () => string
  /** Tells whoever started the server about a notice that couldn't be sent. */
  readonly warn: (line: string) => void
  readonly now?: () => number
  readonly env?: NodeJS.ProcessEnv
}

const TRIES_MAX = 8
const TICK_MS = 1000
const RETRY_MS = 5000

const KINDS: Readonly<Partial<Record<Event['type'], NoticeKind>>> = {
  'escalation.raised': 'waiting',
  'run.stopped': 'stopped',
  'run.completed': 'done',
}

/**
 * Sends notices: a fold over the journals with a cursor on disk. What is to be sent is written down before anything is sent, and struck
 * after it was; so a server that is killed sends what it owes when it starts again, and what it has sent it doesn't send again. Only a
 * kill between the service's answer and the next write repeats one; its id says that it is the same.
 */
export class Notices {
  readonly #options: NoticesOptions
  readonly #settings: NoticeSettings
  readonly #path: string
  readonly #ending = new AbortController()
  /** What an earlier server wrote down; absent for the first one of a project. */
  readonly #known: Kept | undefined
  #kept: Kept
  #running: Promise<unknown> = Promise.resolve()
  #retryAt = 0

  constructor(options: NoticesOptions) {
    this.#options = options
    this.#path = join(dirname(options.storePath), `${basename(options.storePath, '.db')}.notices.json`)
    this.#settings = options.settings ?? { to: [] }
    this.#known = this.#read()
    this.#kept = this.#known ?? { seen: {}, pending: [], push: [] }
  }

  /** Sends notices to a device's browser from now on; without a subscription no longer. */
  subscribe(device: string, subscription: PushSubscriptionKeys | undefined): void {
    const others = this.#kept.push.filter((each) => each.device !== device)
    this.#change({ ...this.#kept, push: [...others, ...(subscription ? [{ ...subscription, device }] : [])] })
  }

  isSubscribed(device: string): boolean {
    return this.#kept.push.some((each) => each.device === device)
  }

  start(): void {
    this.#running = Promise.all([this.#watch(), this.#send()]).catch((error: unknown) => {
      if (!this.#ending.signal.aborted) this.#options.warn(`Notices ended: ${String(error)}`)
    })
  }

  async close(): Promise<void> {
    this.#ending.abort()
    await this.#running
  }

  async #watch(): Promise<void> {
    const { store } = this.#options
    const kept = this.#known
    let isFirst = true
    for await (const changes of store.watchRuns(this.#ending.signal)) {
      if (isFirst) {
        // The first server of a project tells nothing of the past.
        const known = Object.fromEntries(changes.map(({ run, seq }) => [run, kept ? (kept.seen[run] ?? 0) : seq]))
        this.#kept = { ...this.#kept, seen: known }
        if (!kept) this.#write()
      }
      isFirst = false
      for (const { run, seq } of changes) if (this.#kept.seen[run] !== seq) await this.#look(run, seq)
    }
  }

  async #look(run: RunId, seq: Seq): Promise<void> {
    const { store } = this.#options
    const { [run]: after = 0, ...others } = this.#kept.seen
    if (seq === 0)
      return this.#change({ ...this.#kept, seen: others, pending: this.#kept.pending.filter((each) => each.run !== run) })
    try {
      const events = await store.read(run, after)
      const last = events.at(-1)?.seq
      if (last === undefined) return
      const found = events.flatMap(({ seq: own, at, type }): readonly Pending[] => {
        const kind = KINDS[type]
        const to = kind ? this.#targetsFor(kind) : []
        return kind && to.length > 0 ? [{ run, seq: own, kind, at, to, tries: 0 }] : []
      })
      const seen = { ...others, [run]: last }
      if (found.length === 0) this.#kept = { ...this.#kept, seen }
      else this.#change({ ...this.#kept, seen, pending: [...this.#kept.pending, ...found] })
    } catch (error) {
      if (!isDamage(error)) throw error
    }
  }

  async #send(): Promise<void> {
    while (!this.#ending.signal.aborted) {
      await quiet(TICK_MS, this.#ending.signal)
      const now = this.#now()
      if (now < this.#retryAt || isQuiet(this.#settings.quiet, now)) continue
      const due = this.#due(now)
      for (const key of new Set(due.flatMap(({ to }) => to)))
        await this.#sendTo(
          key,
          due.filter(({ to }) => to.includes(key)),
        )
    }
  }

  /** A question is reported at once; the rest waits for the digest, if there is one. */
  #due(now: number): readonly Pending[] {
    const { digest = 0 } = this.#settings
    const { pending } = this.#kept
    const gathered = pending.filter(({ kind }) => kind !== 'waiting')
    const isDigestDue = gathered.some(({ at }) => now - at >= digest)
    return pending.filter(({ kind }) => kind === 'waiting' || isDigestDue)
  }

  #targetsFor(kind: NoticeKind): readonly string[] {
    const named = this.#settings.to.flatMap(({ on }, index) => ((on ?? [kind]).includes(kind) ? [String(index)] : []))
    return [...named, ...this.#kept.push.map(({ device }) => `push ${device}`)]
  }

  /** Who a key means; nobody if the settings changed, or the device was locked out. */
  #targetOf(key: string): NoticeTarget | PushTarget | undefined {
    if (!key.startsWith('push ')) return this.#settings.to[Number(key)]
    const found = this.#kept.push.find(({ device }) => key === `push ${device}`)
    return found && this.#options.devices.list().some(({ id }) => id === found.device) ? found : undefined
  }

  async #sendOne(key: string, target: NoticeTarget | PushTarget, notice: Notice): Promise<void> {
    const { devices, url, env, now = Date.now } = this.#options
    if (!('device' in target)) return sendNotice(target, notice, env)
    const isTaken = await sendPush(target, notice, { secret: devices.secret, url: url(), now: now() })
    // The browser no longer wants them, or is gone.
    if (!isTaken) this.subscribe(target.device, undefined)
    if (!isTaken) this.#strike(key, this.#kept.pending)
  }

  async #sendTo(key: string, due: readonly Pending[]): Promise<void> {
    const target = this.#targetOf(key)
    if (!target) return this.#strike(key, due)
    const news: { readonly pending: Pending; readonly notice: Notice }[] = []
    for (const pending of due) {
      const notice = await this.#noticeOf(pending)
      if (notice) news.push({ pending, notice })
      else this.#strike(key, [pending])
    }
    const isDigest = (this.#settings.digest ?? 0) > 0
    const rest = isDigest ? news.filter(({ pending }) => pending.kind !== 'waiting') : []
    const alone = news.filter((each) => !rest.includes(each))
    const batches = [...alone.map((each) => [each]), ...(rest.length > 0 ? [rest] : [])]
    for (const batch of batches) {
      if (this.#ending.signal.aborted) return
      const [first] = batch
      if (!first) continue
      const pendings = batch.map(({ pending }) => pending)
      try {
        await this.#sendOne(key, target, batch.length === 1 ? first.notice : digestOf(batch.map(({ notice }) => notice)))
        this.#strike(key, pendings)
      } catch (error) {
        this.#failed(key, pendings, error)
      }
    }
  }

  /** `undefined` if nobody needs it any more: the question was answered, or the run is gone. */
  async #noticeOf({ run, seq, kind, at }: Pending): Promise<Notice | undefined> {
    const state = await loadState(this.#options.store, run, builtInFolds).catch(() => undefined)
    if (!state) return undefined
    const goal = goalOf(state) ?? ''
    const base = { id: `${run}@${seq}`, kind, run, at }
    if (kind === 'done')
      return {
        ...base,
        title: `${run} is done`,
        text: safeText([goal, textOf(state.message, undefined)].filter(Boolean).join('\n')),
      }
    const { question } = state
    if (question?.seq !== seq || state.answer) return undefined
    const { text, options } = questionInWords(question.question)
    const title = kind === 'waiting' ? `${run} needs your answer` : `${run} stopped at a limit`
    const lines = [text, ...options.map(({ label }, index) => `${index + 1}. ${label}`), `pawl answer ${run} 1 --resume`]
    return { ...base, title, text: safeText(lines.join('\n')), link: this.#options.linkFor(run, seq) }
  }

  #strike(key: string, done: readonly Pending[]): void {
    const isDone = ({ run, seq }: Pending): boolean => done.some((each) => each.run === run && each.seq === seq)
    const pending = this.#kept.pending.flatMap((each) => {
      if (!isDone(each)) return [each]
      const to = each.to.filter((other) => other !== key)
      return to.length === 0 ? [] : [{ ...each, to }]
    })
    this.#change({ ...this.#kept, pending })
  }

  #failed(key: string, failed: readonly Pending[], error: unknown): void {
    const kind = this.#settings.to[Number(key)]?.kind ?? 'web push'
    const why = error instanceof Error ? error.message : String(error)
    this.#retryAt = this.#now() + RETRY_MS
    const isLast = failed.some(({ tries }) => tries + 1 >= TRIES_MAX)
    if (isLast || failed.every(({ tries }) => tries === 0))
      this.#options.warn(`A notice couldn't be sent by ${kind}: ${why}${isLast ? ' It is dropped.' : ''}`)
    if (isLast) return this.#strike(key, failed)
    const pending = this.#kept.pending.map((each) =>
      failed.some(({ run, seq }) => run === each.run && seq === each.seq) ? { ...each, tries: each.tries + 1 } : each,
    )
    this.#change({ ...this.#kept, pending })
  }

  #change(kept: Kept): void {
    this.#kept = kept
    this.#write()
  }

  #read(): Kept | undefined {
    try {
      const { seen, pending, push = [] } = JSON.parse(readFileSync(this.#path, 'utf8')) as Kept
      return typeof seen === 'object' && Array.isArray(pending) && Array.isArray(push)
        ? { seen, pending: pending.map((each) => ({ ...each, to: each.to.map(String) })), push }
        : undefined
    } catch {
      return undefined
    }
  }

  #write(): void {
    writePrivate(this.#path, `${JSON.stringify(this.#kept)}\n`)
  }

  #now(): number {
    return (this.#options.now ?? Date.now)()
  }
}

function digestOf(notices: readonly Notice[]): Notice {
  const last = notices.at(-1)
  return {
    id: notices.map(({ id }) => id).join(' '),
    kind: 'digest',
    run: notices.map(({ run }) => run).join(', '),
    at: last?.at ?? 0,
    title: counted(notices.length, 'run').concat(' stopped or done'),
    text: notices.map(({ title, text }) => `${title}: ${text.split('\n')[0] ?? ''}`).join('\n'),
  }
}

/** Whether the local time lies in hours such as 22:00-07:00. */
export function isQuiet(hours: string | undefined, now: number): boolean {
  const [from, to] = hours?.split('-') ?? []
  if (from === undefined || to === undefined) return false
  const date = new Date(now)
  const time = `${String(date.getHours()).padStart(2, '0')}:${String(date.getMinutes()).padStart(2, '0')}`
  return from <= to ? time >= from && time < to : time >= from || time < to
}

function quiet(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms)
    function done(): void {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    signal.addEventListener('abort', done)
    if (signal.aborted) done()
  })
}
