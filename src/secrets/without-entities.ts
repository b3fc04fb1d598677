import { type PlainView, plainView } from './plain-view.ts'

/** The text as it reads where XML or HTML escape its signs; `undefined` where nothing is escaped so. */
export function withoutEntities(text: string): PlainView | undefined {
  if (!text.includes('&')) return undefined
  const entities = Array.from(text.matchAll(ENTITY), ({ 0: written, 1: name = '', index }) => {
    return { start: index, end: index + written.length, by: SIGNS[name.toLowerCase()] ?? '' }
  })
  return plainView(text, entities)
}

const ENTITY = /&(quot|apos|lt|gt|amp|#0?34|#x22|#0?39|#x27|#10|#xa);/gi

const SIGNS: Readonly<Record<string, string>> = {
  quot: '"',
  '#34': '"',
  '#034': '"',
  '#x22': '"',
  apos: "'",
  '#39': "'",
  '#039': "'",
  '#x27': "'",
  lt: '<',
  gt: '>',
  amp: '&',
  '#10': '\n',
  '#xa': '\n',
}
