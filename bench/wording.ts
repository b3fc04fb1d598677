/** `0.613 ms`. */
export function milliseconds(value: number): string {
  return `${significant(value)} ms`
}

/** `4.1 MiB`. */
export function mebibytes(bytes: number): string {
  return `${significant(bytes / 2 ** 20)} MiB`
}

/** From the smallest to the largest: `2.61 to 3.04`. */
export function spread(values: readonly number[]): string {
  return `${significant(Math.min(...values))} to ${significant(Math.max(...values))}`
}

/** Three digits, which is more than the noise of any machine leaves. */
export function significant(value: number): string {
  return String(Number(value.toPrecision(3)))
}
