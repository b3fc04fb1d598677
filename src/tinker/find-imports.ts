import { posix } from 'node:path'
import type { Code } from './code.ts'
import { IMPORT_WORDS } from './keywords.ts'

/** The files among `paths` that a file brings in, found by the names on its import lines; in Go also its neighbours. */
export function findImports(code: Code, paths: Iterable<string>): string[] {
  const all = [...paths].filter((path) => path !== code.path)
  const folder = posix.dirname(code.path)
  const found = new Set<string>()
  for (const module of modulesOf(code)) {
    const isRelative = module.startsWith('.')
    const wanted = stem(isRelative ? posix.join(folder, module) : module)
    for (const path of all) {
      const candidate = stem(path)
      if (candidate === wanted || (!isRelative && candidate.endsWith(`/${wanted}`))) found.add(path)
    }
  }
  if (code.path.endsWith('.go'))
    for (const path of all) if (path.endsWith('.go') && posix.dirname(path) === folder) found.add(path)
  return [...found]
}

/** `src/cart/index.js` and `src/cart.ts` are both known as `src/cart`. */
function stem(path: string): string {
  return path.replace(/\.[a-z]+$/, '').replace(/\/(?:index|__init__|mod)$/, '')
}

function* modulesOf({ tokens, language }: Code): Iterable<string> {
  for (const [index, token] of tokens.entries()) {
    const before = tokens[index - 1]
    if (token.kind === 'string') {
      const isImported =
        IMPORT_WORDS.has(before?.text ?? '') || (before?.text === '(' && IMPORT_WORDS.has(tokens[index - 2]?.text ?? ''))
      if (isImported) yield token.text.slice(1, -1)
    }
    const beginsLine = !before || before.line < token.line
    if (language.family === 'script' || !beginsLine || !IMPORT_WORDS.has(token.text)) continue
    yield* dottedNames(tokens.filter((other) => other.line === token.line).slice(1))
  }
}

/** `shop.cart`, `.cart`, `crate::cart` as paths, and every prefix with one name more: the last one may be a name in a module. */
function* dottedNames(tokens: Code['tokens']): Iterable<string> {
  let path = ''
  for (const { kind, text } of tokens) {
    if (text === '.' || text === '::') path += path === '' ? './' : '/'
    else if (kind === 'word' && text !== 'crate' && text !== 'self') {
      path = path.endsWith('/') ? path + text : text
      yield path
    } else path = ''
  }
}
