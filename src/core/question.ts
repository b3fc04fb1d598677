/** A question a person can answer in ten seconds, also days later. */
export interface Question {
  readonly text: string
  readonly options: readonly Option[]
  /** The pattern seen over the attempts, in one sentence. */
  readonly pattern?: string
  /** One line for each attempt, the newest last. */
  readonly attempts: readonly string[]
}

export interface Option {
  /** Stable name, for programs: `continue`, `accept`, `abort`. A person may also give its number. */
  readonly choice: string
  readonly label: string
  readonly consequence: Consequence
  readonly recommended?: boolean
}

/** What happens when the option is chosen. */
export type Consequence =
  /** Go on; each `raise` lifts a guard's setting, as a `run.reconfigured` fact. */
  | {
      readonly kind: 'continue'
      readonly raises?: readonly { readonly guard: string; readonly setting: string; readonly to: number }[]
    }
  /** Take the work as it is: the run is completed. */
  | { readonly kind: 'accept' }
  | { readonly kind: 'abort' }
