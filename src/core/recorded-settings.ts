/**
 * The settings of a part as a run recorded them, for the factory that builds the part again. The run may be of another version of Pawl, so
 * what this one does not know of them is passed over, where a program that writes the same is told of its mistake.
 */
export function recordedSettings<Options>(settings: Readonly<Record<string, unknown>>): Options {
  return Object.defineProperty({ ...settings }, RECORDED, { value: true }) as Options
}

/** Whether options come from a run's record. A copy of them no longer does. */
export function isRecorded(options: unknown): boolean {
  return typeof options === 'object' && options !== null && RECORDED in options
}

const RECORDED = Symbol('recorded')
