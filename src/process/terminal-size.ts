/** How wide a terminal is taken to be that does not say it. */
export const COLUMNS_UNKNOWN = 80
const ROWS_UNKNOWN = 24

/**
 * A terminal that nobody has given a size says that it has 0 columns and 0 rows, and prompts would put one letter on a line and one option on
 * the screen: it gets a usual size.
 */
export function giveSize(output: NodeJS.WritableStream): void {
  if ('columns' in output && output.columns === 0) output.columns = COLUMNS_UNKNOWN
  if ('rows' in output && output.rows === 0) output.rows = ROWS_UNKNOWN
}
