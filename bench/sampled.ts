/** At most `countMax` of the values, evenly spread over them. */
export function sampled<Value>(values: readonly Value[], countMax: number): Value[] {
  const step = Math.max(1, values.length / countMax)
  return values.filter((_value, index) => Math.floor(index / step) !== Math.floor((index - 1) / step))
}
