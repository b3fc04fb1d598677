import { isAbsolute, relative } from 'node:path'
import type { TranscriptCall, TranscriptTurn } from './transcript.ts'

type OpenCall = { -readonly [Field in keyof TranscriptCall]: TranscriptCall[Field] } & { readonly id: string }

/** Puts turns together from the lines of a transcript, one at a time; what is done is handed over and forgotten. */
export class TurnBuilder {
  #prompt: TranscriptTurn['prompt']
  #id: string | undefined
  #at = 0
  #endedAt = 0
  #words: string[] = []
  #model: string | undefined
  #calls: OpenCall[] = []
  #used: Used = {}
  /** What was used before there was a turn: the first one has it on top. */
  #usedBefore: Used = {}
  #done: TranscriptTurn[] = []

  /** A person says something, which the next turn answers. Said twice in a row it is the same. */
  prompt(text: string, at: number): void {
    this.close()
    if (text.trim() === '' || this.#prompt?.text === text) return
    const said = this.#prompt === undefined ? text : `${this.#prompt.text}\n\n${text}`
    this.#prompt = { text: said, at: this.#prompt?.at ?? at }
  }

  /** A reply begins, or continues where `id` is that of the one before. */
  reply(id: string, at: number): void {
    if (this.#id === id) return
    this.close()
    this.#id = id
    this.#at = at
    this.#endedAt = at
  }

  /** Whether a reply is open, and whether every tool it called has answered. */
  get isAnswered(): boolean {
    return this.#calls.length > 0 && this.#calls.every((call) => 'response' in call)
  }

  get hasCalls(): boolean {
    return this.#calls.length > 0
  }

  get id(): string | undefined {
    return this.#id
  }

  say(text: string): void {
    if (text.trim() !== '' && this.#words.at(-1) !== text) this.#words.push(text)
  }

  model(model: string | undefined): void {
    this.#model = model ?? this.#model
  }

  call(call: OpenCall): void {
    if (!this.#calls.some(({ id }) => id === call.id)) this.#calls.push(call)
  }

  /** What a tool of the open reply returned; one that nobody called is passed over. */
  answer(id: string, at: number, more: Partial<TranscriptCall>): void {
    const call = this.#calls.find((each) => each.id === id)
    if (!call) return
    Object.assign(call, more, call.shell || more.shell ? { shell: { ...call.shell, ...more.shell } } : {})
    this.#endedAt = Math.max(this.#endedAt, at)
  }

  callOf(id: string): TranscriptCall | undefined {
    return this.#calls.find((each) => each.id === id)
  }

  /** The tokens of the open reply, as its newest line tells them. */
  tokens(tokens: number): void {
    this.#used = { ...this.#used, tokens }
  }

  /** Tokens and money that came on top; where no reply is open, of the turn before. */
  spend(used: Used): void {
    if (this.#id === undefined) this.#spendBefore(used)
    else this.#used = usedTogether(this.#used, used)
  }

  /** The turn before has it: handed to the next one it would be counted twice when a session that was read to its end grows. */
  #spendBefore(used: Used): void {
    const last = this.#done.pop()
    if (last) this.#done.push({ ...last, ...usedTogether(last, used) })
    else this.#usedBefore = usedTogether(this.#usedBefore, used)
  }

  /** Ends the open reply. */
  close(): void {
    if (this.#id === undefined) return
    const isEmpty = this.#words.length === 0 && this.#calls.length === 0
    if (isEmpty) this.#spendBefore(this.#used)
    else {
      this.#done.push({
        at: this.#at,
        endedAt: this.#endedAt,
        ...(this.#prompt ? { prompt: this.#prompt } : {}),
        words: this.#words.join('\n\n'),
        ...(this.#model === undefined ? {} : { model: this.#model }),
        calls: this.#calls.map(({ id: _own, ...call }) => call),
        ...usedTogether(this.#usedBefore, this.#used),
      })
      this.#prompt = undefined
      this.#usedBefore = {}
    }
    this.#id = undefined
    this.#words = []
    this.#calls = []
    this.#used = {}
  }

  /** The turns that are done, once; the last of them is kept back, since more may be spent on it. */
  take(): readonly TranscriptTurn[] {
    return this.#done.splice(0, this.#done.length - 1)
  }

  /** Ends the open reply, and hands over the turns that are left. */
  end(): readonly TranscriptTurn[] {
    this.close()
    return this.#done.splice(0)
  }
}

/** A path as a person would say it: from the folder of the work, where it lies in it. */
export function pathFrom(cwd: string | undefined, path: string): string {
  if (cwd === undefined || !isAbsolute(path)) return path
  const inside = relative(cwd, path)
  return inside === '' || inside.startsWith('..') ? path : inside
}

/** What a turn used, as far as its transcript tells. */
export type Used = Pick<TranscriptTurn, 'tokens' | 'costUsd'>

/** The sum of both; what neither tells stays unknown. */
export function usedTogether(one: Used, other: Used): Used {
  const tokens = (one.tokens ?? 0) + (other.tokens ?? 0)
  const costUsd = Number(((one.costUsd ?? 0) + (other.costUsd ?? 0)).toFixed(9))
  return {
    ...(one.tokens === undefined && other.tokens === undefined ? {} : { tokens }),
    ...(one.costUsd === undefined && other.costUsd === undefined ? {} : { costUsd }),
  }
}
