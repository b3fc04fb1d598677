/**
 * A programmer's or an operating error: something is wrong with what Pawl was given or with the machine. Outcomes of a run are
 * never errors. `message` is one sentence with the place and the way out.
 */
export class PawlError extends Error {
  readonly code: string
  /** The bad value, if any. */
  readonly value: unknown

  constructor(code: string, message: string, details: { value?: unknown; cause?: unknown } = {}) {
    super(message, { cause: details.cause })
    this.name = 'PawlError'
    this.code = code
    this.value = details.value
  }
}

/** Whether a journal or a text of the store is damaged: commands that read many runs leave that one out. */
export function isDamage(error: unknown): error is PawlError {
  return error instanceof PawlError && /^(?:journal|store\.corrupt)/.test(error.code)
}
