/** Where in a text an offset is, as compilers say it: `LINE:COLUMN`, both from 1. */
export function textPlace(text: string, offset: number): string {
  const before = text.slice(0, offset)
  const line = before.split('\n').length
  return `${line}:${offset - before.lastIndexOf('\n')}`
}
