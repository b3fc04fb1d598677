import type { Code } from './code.ts'
import { replace, type Edit } from './edit.ts'
import { isImportLine } from './is-import-line.ts'
import type { Token } from './tokenize.ts'

/** A wrong literal: `true` for `false`, a number that is one off, the case of a text, a missing flag of a pattern. */
export function* mutateLiterals({ tokens }: Code): Iterable<Edit> {
  for (const [index, token] of tokens.entries()) {
    const opposite = BOOLEANS.get(token.text)
    if (token.kind === 'word' && opposite && tokens[index - 1]?.text !== '.')
      yield replace('literal', 0.7, token, token, opposite)
    if (token.kind === 'number') yield* numbers(token)
    if (token.kind === 'string' && !isImportLine(tokens, index)) yield* cases(token)
    if (token.kind === 'regex') yield* flags(token)
  }
}

const BOOLEANS = new Map([
  ['true', 'false'],
  ['false', 'true'],
  ['True', 'False'],
  ['False', 'True'],
])

function* numbers(token: Token): Iterable<Edit> {
  const value = Number(token.text)
  if (!/^[\d.]+$/.test(token.text) || !Number.isSafeInteger(Math.trunc(value))) return
  const edit = (prior: number, replacement: number) => replace('number', prior, token, token, String(replacement))
  if (Number.isInteger(value)) {
    // Small numbers are counts and bounds, where people slip by one; large ones are mostly names of something.
    const prior = value <= 2 ? 0.7 : value <= 20 ? 0.4 : 0.2
    yield edit(prior, value + 1)
    yield edit(value === 0 ? 0.25 : prior, value - 1)
    if (value > 1) yield edit(0.15, 0)
  }
  if (value !== 0 && value !== 1) {
    yield edit(0.2, Number((value * 10).toPrecision(12)))
    yield edit(0.2, Number((value / 10).toPrecision(12)))
  }
}

function* cases(token: Token): Iterable<Edit> {
  const [quote, text] = [token.text[0]!, token.text.slice(1, -1)]
  if (!/^[\p{L}\p{N} _.,:;!?-]+$/u.test(text)) return
  const forms = [text.toLowerCase(), text.toUpperCase(), text[0]!.toUpperCase() + text.slice(1).toLowerCase()]
  for (const form of new Set(forms)) {
    if (form !== text) yield replace('text', 0.2, token, token, quote + form + quote)
  }
}

function* flags(token: Token): Iterable<Edit> {
  const end = token.text.lastIndexOf('/') + 1
  const [pattern, present] = [token.text.slice(0, end), token.text.slice(end)]
  for (const flag of ['g', 'i']) {
    const changed = present.includes(flag) ? present.replace(flag, '') : present + flag
    yield replace('text', 0.5, token, token, pattern + changed)
  }
}
