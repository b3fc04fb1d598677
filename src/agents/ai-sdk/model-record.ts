import { costAt, type Prices } from '../agent-settings.ts'
import { type Action, ACTIONS_KEPT_MAX } from '../../core/action.ts'
import { FILES_KEPT_MAX, type Usage } from '../../core/event-data.ts'
import { shortened } from '../../core/wording.ts'
import type { EffectContext } from '../../process/effect-context.ts'
import { growingEnd } from '../../process/last-lines.ts'
import type { Captured } from '../../process/output.ts'
import type { WorkDetails } from '../agent.ts'

/** One answer of a model, as far as it is kept. */
export interface ModelStep {
  readonly text: string
  readonly usage: object
  readonly providerMetadata?: unknown
  readonly response: { readonly modelId?: string }
}

/** What the model did so far: kept from step to step, so that it is known however the work ends. */
export class ModelRecord {
  readonly #context: EffectContext
  readonly #prices: Prices | undefined
  readonly #lines: string[] = []
  readonly #files = new Set<string>()
  #characters = 0
  #actions: Action[] = []
  #actionsCut = 0
  #usage: StepUsage = {}
  #model: string | undefined
  #messages = 0
  #words = ''

  constructor(context: EffectContext, prices?: Prices) {
    this.#context = context
    this.#prices = prices
  }

  /** One answer of the model. */
  step(step: ModelStep): void {
    this.#usage = addedUsage(this.#usage, step)
    this.#model = step.response.modelId ?? this.#model
    this.#messages++
    this.#words = growingEnd(`${this.#words}${this.#words === '' ? '' : '\n\n'}${step.text}`, WORDS_CHARACTERS_MAX)
    this.#report()
    if (step.text.trim() === '') return
    this.#print(step.text.trim())
    this.#context.progress(shortened(step.text, 200))
  }

  /** One use of a tool, with a line for people. */
  tool(action: Action, line: string, file?: string): void {
    this.#actions.push(action)
    if (this.#actions.length > ACTIONS_KEPT_MAX) {
      this.#actions.shift()
      this.#actionsCut++
    }
    if (file !== undefined && this.#files.size < FILES_KEPT_MAX) this.#files.add(file)
    this.#messages++
    this.#report()
    this.#print(`[${action.name}] ${line}`)
    this.#context.progress(shortened(line, 200))
  }

  /** Details of the work, without how it ended. */
  details(): WorkDetails & { readonly output?: Captured } {
    const text = this.#lines.join('\n')
    return {
      ...this.#used(),
      ...(this.#model === undefined ? {} : { model: this.#model }),
      ...(this.#actions.length === 0 ? {} : { actions: this.#actions }),
      ...(this.#actionsCut === 0 ? {} : { actionsCut: this.#actionsCut }),
      ...(this.#files.size === 0 ? {} : { files: [...this.#files] }),
      ...(text === '' ? {} : { output: { text, bytesCut: Math.max(0, this.#characters - text.length - 1) } }),
    }
  }

  #used(): Usage {
    const { tokens } = this.#usage
    const costUsd = costOf(this.#usage, this.#prices)
    return {
      ...(tokens === undefined ? {} : { tokens }),
      ...(costUsd === undefined ? {} : { costUsd, ...(this.#prices ? { isCostEstimated: true } : {}) }),
    }
  }

  #report(): void {
    const [actions, actionsCut] = [[...this.#actions], this.#actionsCut]
    this.#context.report?.({ used: this.#used(), messages: this.#messages, actions, actionsCut, words: this.#words })
  }

  /** Keeps the end: drops the oldest lines first. */
  #print(line: string): void {
    this.#lines.push(growingEnd(line, OUTPUT_CHARACTERS_MAX))
    this.#characters += line.length + 1
    let kept = this.#lines.reduce((total, each) => total + each.length, 0)
    while (kept > OUTPUT_CHARACTERS_MAX && this.#lines.length > 1) kept -= this.#lines.shift()?.length ?? 0
  }
}

const OUTPUT_CHARACTERS_MAX = 512 * 1024
const WORDS_CHARACTERS_MAX = 64 * 1024

/** The usage of the steps so far, if the provider reports it. */
export interface StepUsage {
  readonly tokens?: number
  readonly inputTokens?: number
  readonly cachedTokens?: number
  readonly outputTokens?: number
  readonly reportedUsd?: number
}

/** The sum with one more step. */
export function addedUsage(before: StepUsage, step: { readonly usage: object; readonly providerMetadata?: unknown }): StepUsage {
  const usage = step.usage as Readonly<Record<string, unknown>>
  const input = amount(usage['inputTokens'])
  const output = amount(usage['outputTokens'])
  const both = input === undefined && output === undefined ? undefined : (input ?? 0) + (output ?? 0)
  const cached = amount((usage['inputTokenDetails'] as Readonly<Record<string, unknown>> | undefined)?.['cacheReadTokens'])
  return {
    ...sum('tokens', before.tokens, amount(usage['totalTokens']) ?? both),
    ...sum('inputTokens', before.inputTokens, input),
    ...sum('cachedTokens', before.cachedTokens, cached),
    ...sum('outputTokens', before.outputTokens, output),
    ...sum('reportedUsd', before.reportedUsd, reportedCost(usage['raw'], step.providerMetadata)),
  }
}

/** The cost: by the given prices, or as the provider reports it; otherwise unknown. */
export function costOf(
  { inputTokens = 0, cachedTokens = 0, outputTokens = 0, reportedUsd, tokens }: StepUsage,
  prices: Prices | undefined,
): number | undefined {
  if (!prices) return reportedUsd
  if (tokens === undefined) return undefined
  return costAt(prices, { input: inputTokens, cached: cachedTokens, output: outputTokens })
}

/** OpenRouter puts the cost beside the tokens, Vercel's gateway into its metadata. */
function reportedCost(raw: unknown, metadata: unknown): number | undefined {
  const beside = (raw as { readonly cost?: unknown } | undefined)?.cost
  const gateway = (metadata as { readonly gateway?: { readonly cost?: unknown } } | undefined)?.gateway?.cost
  return amount(beside) ?? amount(typeof gateway === 'string' ? Number(gateway) : gateway)
}

function amount(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined
}

function sum<Name extends string>(name: Name, before: number | undefined, more: number | undefined): { [Key in Name]?: number } {
  if (before === undefined && more === undefined) return {}
  return { [name]: (before ?? 0) + (more ?? 0) } as { [Key in Name]?: number }
}
