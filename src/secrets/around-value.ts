/** The name that ends at a place. */
export function nameEndingAt(text: string, end: number): string {
  return /[\w.-]*$/.exec(text.slice(Math.max(0, end - 80), end))?.[0] ?? ''
}

/** Whether the quotation mark that opens a value, escaped as it is, also ends it, and nothing is joined to it. */
export function isClosed(text: string, opening: number, start: number, end: number): boolean {
  const mark = text.slice(opening, start)
  if (!text.startsWith(mark, end)) return false
  const after = text.slice(end + mark.length, end + mark.length + 20)
  return !/^\w/.test(after) && GOES_ON.exec(after)?.[1]?.length !== mark.length - 1
}

/** `''` within a value, `"one" + "more"` and the like. */
const GOES_ON = /^[ \t]*(?:\+|\.{1,2}|\|\||&)?[ \t]*(\\?)["'`]/
