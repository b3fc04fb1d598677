/** Where tests are in the middle of code: Rust's `#[cfg(test)]` modules and vitest's `import.meta.vitest` blocks. */
const BLOCKS: readonly (readonly [path: RegExp, heading: RegExp])[] = [
  [/\.rs$/, /#\[cfg\(test\)\]/g],
  [/\.[cm]?[jt]sx?$/, /\bif\s*\(\s*import\.meta\.vitest\s*\)/g],
]

/**
 * The present file with the tests that it had inside at the start; `undefined` if they are the same. A block that is gone comes back at
 * the end.
 */
export function withOldBlocks(path: string, before: string, now: string): string | undefined {
  const [, heading] = BLOCKS.find(([pattern]) => pattern.test(path)) ?? []
  if (!heading) return undefined
  const [old, present] = [blocksIn(before, heading), blocksIn(now, heading)]
  const texts = old.map(({ start, end }) => before.slice(start, end))
  if (texts.join('\n') === present.map(({ start, end }) => now.slice(start, end)).join('\n')) return undefined
  const code = present.toReversed().reduce((text, { start, end }) => text.slice(0, start) + text.slice(end), now)
  return `${code.trimEnd()}\n\n${texts.join('\n\n')}\n`
}

/** The tests inside a file, without its code; `undefined` if there are none. */
export function testsInside(path: string, text: string): string | undefined {
  const [, heading] = BLOCKS.find(([pattern]) => pattern.test(path)) ?? []
  const blocks = heading ? blocksIn(text, heading).map(({ start, end }) => text.slice(start, end)) : []
  return blocks.length === 0 ? undefined : `${blocks.join('\n\n')}\n`
}

/** Old Rust code that also declares the modules of the new files that are left: without it nobody would compile their tests. */
export function withModules(path: string, old: string, now: string, left: ReadonlySet<string>): string {
  if (!path.endsWith('.rs')) return old
  const added = [...now.matchAll(/^(?:pub(?:\([^)]*\))?\s+)?mod\s+(\w+)\s*;/gm)].filter(
    ([line, name]) => !old.includes(line) && [...left].some((file) => new RegExp(`(?:^|/)${name}(?:/mod)?\\.rs$`).test(file)),
  )
  return added.length === 0 ? old : `${old.trimEnd()}\n${added.map(([line]) => line).join('\n')}\n`
}

/** Examples in documentation that a runner executes (doctests) and that were changed or removed, as text. */
export function changedExamples(path: string, before: string, now: string): readonly string[] {
  if (!/\.(?:py|md|rst|txt)$/.test(path)) return []
  const present = new Set(examplesIn(now))
  return examplesIn(before).filter((example) => !present.has(example))
}

/** The present file with the examples that it had at the start; `undefined` if they are all there. `inNames` writes them with today's names. */
export function withOldExamples(
  path: string,
  before: string,
  now: string,
  inNames: (examples: string) => string,
): string | undefined {
  if (changedExamples(path, before, now).length === 0) return undefined
  if (!path.endsWith('.py')) return before
  const examples = inNames(examplesIn(before).join('\n\n'))
  const quotes = ["'''", '"""'].find((each) => !examples.includes(each))
  // Python's own place for examples that are in no docstring.
  const tests = `__test__ = {**globals().get('__test__', {}), 'examples': r${quotes}\n${examples}\n${quotes}}`
  return quotes === undefined ? undefined : `${now.trimEnd()}\n\n\n${tests}\n`
}

interface Span {
  readonly start: number
  readonly end: number
}

function blocksIn(text: string, heading: RegExp): readonly Span[] {
  const spans: Span[] = []
  for (const { index } of text.matchAll(heading)) {
    if (index < (spans.at(-1)?.end ?? 0)) continue
    const open = text.indexOf('{', index)
    if (open < 0) continue
    spans.push({ start: index, end: closing(text, open) })
  }
  return spans
}

/** Where the brace that opens here is closed; braces in strings and comments are not distinguished, as formatted code balances them. */
export function closing(text: string, open: number, [opens, closes]: string = '{}'): number {
  let depth = 0
  for (let index = open; index < text.length; index += 1) {
    if (text[index] === opens) depth += 1
    if (text[index] === closes) depth -= 1
    if (depth === 0) return index + 1
  }
  return text.length
}

function examplesIn(text: string): readonly string[] {
  const examples: string[] = []
  let example: string[] | undefined
  for (const line of text.split('\n').map((each) => each.trim())) {
    if (line.startsWith('>>>')) {
      if (example) examples.push(example.join('\n'))
      example = [line]
    } else if (example && line !== '' && !/^(?:"""|''')/.test(line)) example.push(line)
    else if (example) {
      examples.push(example.join('\n'))
      example = undefined
    }
  }
  return example ? [...examples, example.join('\n')] : examples
}
