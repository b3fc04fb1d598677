/** Text that goes round in circles. */
export interface Spinning {
  readonly unit: string
  readonly repeats: number
}
