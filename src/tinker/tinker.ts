import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { type Candidate, editsOfCandidate, filesWith } from './edit.ts'
import { type CheckOutcome, describeOutcome, effectOf, failuresOf, isBetter, runCheck, type RunCheckOptions } from './check.ts'
import { type KeptEdit, MemoryFile, takeBack, Trial, undoCutShortTry } from './trial.ts'
import { pickNext, type Plan, type PlanOptions, planTries } from './candidates.ts'
import type { Settings } from './settings.ts'

export interface TinkerOptions extends Pick<PlanOptions, 'cwd' | 'brief'>, Pick<RunCheckOptions, 'env' | 'parsers' | 'signal'> {
  readonly settings: Settings
  /** Receives one plain line for each event. */
  readonly say: (line: string) => void
}

/**
 * One call: runs the check, tries small edits, the most promising first, and keeps each one that makes fewer tests fail.
 * Continues from there until the check passes, the tries or the time are used up, or nothing is left to try.
 */
export async function tinker(options: TinkerOptions): Promise<TinkerResult> {
  const { cwd, settings, say, signal } = options
  const memory = new MemoryFile(settings.run, cwd)
  const undone = await undoCutShortTry(cwd, memory)
  if (undone) say(`put back ${undone}, which an earlier call had left in the middle of a try`)
  if (settings.iteration === 1) memory.forgetTries()
  const trial = new Trial(cwd, memory)
  const putBack = () => trial.putBack()
  signal.addEventListener('abort', putBack)
  try {
    return await new Search(options, memory, trial).run()
  } finally {
    putBack()
    signal.removeEventListener('abort', putBack)
  }
}

const ABORTED: TinkerResult = { status: 'aborted', summary: 'tinker was ended; the file it was trying is as it was before' }

/** The state of one call. */
class Search {
  readonly #options: TinkerOptions
  readonly #memory: MemoryFile
  readonly #trial: Trial
  readonly #endsAt: number
  #kept: (KeptEdit & { readonly name: string })[] = []
  #triesCount = 0

  constructor(options: TinkerOptions, memory: MemoryFile, trial: Trial) {
    this.#options = options
    this.#memory = memory
    this.#trial = trial
    this.#endsAt = performance.now() + options.settings.secondsMax * 1000
  }

  async run(): Promise<TinkerResult> {
    const { settings, say } = this.#options
    // The hang itself may be the bug, so a hanging check gets only an eighth of the time.
    const first = await this.#check(Math.max(5000, (settings.secondsMax * 1000) / 8))
    if (!first) return ABORTED
    say(`before any edit: ${describeOutcome(first)}`)
    let present = first
    while (!present.passed) {
      const step = await this.#improve(present, planTries({ ...this.#options, outcome: present }))
      if (step === 'aborted') return ABORTED
      if (typeof step === 'string') return this.#end(present, step)
      present = step
    }
    return (await this.#dropNeedless(present)) === 'aborted' ? ABORTED : this.#end(present)
  }

  /** Once the check passes, removes edits that turned out not to be needed. */
  async #dropNeedless(passing: CheckOutcome): Promise<'done' | 'aborted'> {
    const { cwd, say } = this.#options
    // The last edit made the check pass, so it is needed.
    for (let index = 0; index < this.#kept.length - 1 && this.#secondsLeft() > 0;) {
      const { path, name } = this.#kept[index]!
      const text = readFileSync(join(cwd, path), 'utf8')
      const without = takeBack(text, this.#kept, index)
      if (without) this.#trial.begin([{ path, before: text, after: without.text }])
      const outcome = without && (await this.#check(tryLimitMs(passing.durationMs)))
      if (without && !outcome) return 'aborted'
      if (without && outcome?.passed && outcome.report?.counts.passed === passing.report?.counts.passed) {
        this.#trial.keep()
        this.#kept = without.kept
        say(`taken back ${name}: it is not needed any more`)
      } else {
        this.#trial.putBack()
        index++
      }
    }
    return 'done'
  }

  /** Tries candidates until one helps. Otherwise returns why it stopped. */
  async #improve(before: CheckOutcome, plan: Plan): Promise<CheckOutcome | string> {
    const { settings, say } = this.#options
    const tried = new Map(this.#memory.triedOn(plan.tree))
    if (tried.size > 0) say(`${tried.size} candidates were tried on this tree before; continuing after them`)
    if (plan.candidates.length === 0) return 'there is no file that may be edited (tests and the check itself never are)'
    const pairs = plan.candidates.filter(({ id }) => tried.get(id) === 'half').flatMap(plan.pairsWith)
    while (this.#triesCount < settings.triesMax && this.#secondsLeft() > 0) {
      const candidate = pickNext([...plan.candidates, ...pairs], tried)
      if (!candidate) return 'nothing is left to try on this tree'
      this.#triesCount++
      const after = await this.#try(candidate, plan, before)
      if (!after) return 'aborted'
      if (after.isBetter) return after.outcome
      // It ran out of time, so it doesn't count as tried.
      if (after.outcome.timedOut && this.#secondsLeft() <= 0) break
      const effect = isHalf(candidate, after.outcome, plan) ? 'half' : effectOf(after.outcome, before)
      if (effect === 'half') pairs.push(...plan.pairsWith(candidate))
      tried.set(candidate.id, effect)
      this.#memory.addTry(plan.tree, candidate.id, effect)
    }
    if (this.#secondsLeft() <= 0) return `the ${settings.secondsMax} seconds are used up`
    const left = plan.candidates.length + pairs.length - tried.size
    return `the ${settings.triesMax} tries are used up, ${left} candidates are left for the next iteration`
  }

  async #try(
    candidate: Candidate,
    plan: Plan,
    before: CheckOutcome,
  ): Promise<{ outcome: CheckOutcome; isBetter: boolean } | undefined> {
    const { settings, say } = this.#options
    const places = [candidate, ...(candidate.also ?? [])].map(({ path, line, label }) => `${path}:${line}  ${label}`)
    const what = `${places.join('  and ')}  : `
    const limitMs = before.timedOut ? before.durationMs / 2 : tryLimitMs(before.durationMs)
    const isHelping = (after: CheckOutcome): boolean => isBetter(after, before) && !isAgainst(candidate, after, plan)
    this.#trial.begin(filesWith(candidate, plan.texts))
    const outcome = await this.#check(limitMs)
    if (!outcome) return undefined
    say(`tried ${this.#triesCount}/${settings.triesMax} ${what}${describeOutcome(outcome)}`)
    if (!isHelping(outcome)) {
      this.#trial.putBack()
      return { outcome, isBetter: false }
    }
    // Run it again, so that a flaky test isn't mistaken for a fixed one.
    const again = await this.#check(limitMs)
    if (!again) return undefined
    if (!isHelping(again)) {
      this.#trial.putBack()
      say(`not kept ${what}a second run did not confirm it (${describeOutcome(again)})`)
      return { outcome: again, isBetter: false }
    }
    this.#trial.keep()
    for (const { path, line, start, end, replacement, label } of editsOfCandidate(candidate)) {
      const replaced = plan.texts.get(path)!.slice(start, end)
      this.#kept.push({ path, start, end, replacement, replaced, name: `${path}:${line} ${label}` })
    }
    say(`kept ${what}${describeOutcome(again)}`)
    return { outcome: again, isBetter: true }
  }

  async #check(limitMs: number): Promise<CheckOutcome | undefined> {
    const { cwd, env, parsers, signal, settings } = this.#options
    const timeoutMs = Math.max(1, Math.min(limitMs, this.#endsAt - performance.now()))
    return runCheck({
      command: settings.check,
      cwd,
      env,
      parsers,
      signal,
      timeoutMs,
      onStarted: (identity) => this.#trial.started(identity),
    })
  }

  #secondsLeft(): number {
    return (this.#endsAt - performance.now()) / 1000
  }

  #end(outcome: CheckOutcome, why?: string): TinkerResult {
    if (outcome.passed) this.#memory.remove()
    const state = [describeOutcome(outcome) + failingNames(outcome), ...(why ? [why] : [])].join('; ')
    const kept = this.#kept.map(({ name }) => name).join(', ')
    const tries = this.#triesCount === 1 ? '1 try' : `${this.#triesCount} tries`
    if (kept !== '') return { status: 'helped', summary: `kept ${kept} after ${tries}: ${state}` }
    if (outcome.passed) return { status: 'helped', summary: `nothing to do: ${state}` }
    return { status: 'nothing-helped', summary: `nothing helped in ${tries}: ${state}` }
  }
}

/** Whether a conversion alone makes a test with a ruling pass, but breaks others. */
function isHalf({ kind, also }: Candidate, after: CheckOutcome, { ruled }: Plan): boolean {
  if (kind !== 'conversion' || also || after.timedOut || !after.report || after.report.counts.passed === 0) return false
  return ruled.some(({ failure, right }) => right !== 'code' && !isFailing(after, failure.id))
}

/** Whether an edit of the code makes a test pass although a person ruled that the code is right. */
function isAgainst({ kind }: Candidate, after: CheckOutcome, { ruled }: Plan): boolean {
  return kind !== 'expected' && ruled.some(({ failure, right }) => right === 'code' && !isFailing(after, failure.id))
}

function isFailing(outcome: CheckOutcome, id: string): boolean {
  return failuresOf(outcome).some((failure) => failure.id === id)
}

/** Generous, so that a busy machine isn't mistaken for an endless loop. */
function tryLimitMs(usualMs: number): number {
  return usualMs * 5 + 2000
}

/** `helped`: an edit was kept, or nothing was wrong. `aborted`: a signal came, and the files are restored. */
export interface TinkerResult {
  readonly status: 'helped' | 'nothing-helped' | 'aborted'
  readonly summary: string
}

const NAMES_MAX = 3

function failingNames(outcome: CheckOutcome): string {
  const { passed, failed } = outcome.report?.counts ?? { passed: 0, failed: 0 }
  // A single failure is the check itself.
  if (outcome.passed || passed + failed <= 1) return ''
  const names = failuresOf(outcome).map(({ id }) => id)
  if (names.length === 0) return ''
  const more = names.length > NAMES_MAX ? `; ${names.length - NAMES_MAX} more` : ''
  return ` (${names.slice(0, NAMES_MAX).join('; ')}${more})`
}
