import { type Action, ACTIONS_KEPT_MAX } from '../../core/action.ts'
import { FILES_KEPT_MAX } from '../../core/event-data.ts'
import { shortened } from '../../core/wording.ts'
import type { WorkDetails } from '../agent.ts'
import type { Captured } from '../../process/output.ts'
import type { EffectContext } from '../../process/effect-context.ts'
import { growingEnd } from '../clean-words.ts'
import { addedUsage, costOf, type Prices, type StepUsage } from './step-usage.ts'

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
  readonly #lines: string[] = []
  readonly #files = new Set<string>()
  #characters = 0
  #actions: Action[] = []
  #actionsCut = 0
  #usage: StepUsage = {}
  #model: string | undefined

  constructor(context: EffectContext) {
    this.#context = context
  }

  /** One answer of the model. */
  step(step: ModelStep): void {
    this.#usage = addedUsage(this.#usage, step)
    this.#model = step.response.modelId ?? this.#model
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
    this.#print(`[${action.name}] ${line}`)
    this.#context.progress(shortened(line, 200))
  }

  /** What is told of the work besides its end. */
  details(prices: Prices | undefined): WorkDetails & { readonly output?: Captured } {
    const { tokens } = this.#usage
    const costUsd = costOf(this.#usage, prices)
    const text = this.#lines.join('\n')
    return {
      ...(tokens === undefined ? {} : { tokens }),
      ...(costUsd === undefined ? {} : { costUsd }),
      ...(this.#model === undefined ? {} : { model: this.#model }),
      ...(this.#actions.length === 0 ? {} : { actions: this.#actions }),
      ...(this.#actionsCut === 0 ? {} : { actionsCut: this.#actionsCut }),
      ...(this.#files.size === 0 ? {} : { files: [...this.#files] }),
      ...(text === '' ? {} : { output: { text, bytesCut: Math.max(0, this.#characters - text.length - 1) } }),
    }
  }

  /** The end is what counts: the oldest lines go first. */
  #print(line: string): void {
    this.#lines.push(growingEnd(line, OUTPUT_CHARACTERS_MAX))
    this.#characters += line.length + 1
    let kept = this.#lines.reduce((sum, each) => sum + each.length, 0)
    while (kept > OUTPUT_CHARACTERS_MAX && this.#lines.length > 1) kept -= this.#lines.shift()?.length ?? 0
  }
}

const OUTPUT_CHARACTERS_MAX = 512 * 1024
