import type { Code } from './code.ts'
import type { FunctionSpan } from './find-functions.ts'

/** A function of a file. */
export interface Place {
  readonly code: Code
  readonly span: FunctionSpan
}

/** How far a test goes: each function that it may call, directly or through others, with a weight that falls with the distance. */
export type Reach = (names: ReadonlySet<string>) => ReadonlyMap<FunctionSpan, number>

/** Prepares the search over the given files. Calls are matched by name alone: too many rather than too few. */
export function reachIn(codes: readonly Code[]): Reach {
  const places = new Map<string, Place[]>()
  for (const code of codes) {
    for (const span of code.functions) places.set(span.name, [...(places.get(span.name) ?? []), { code, span }])
    for (const [name, spans] of constructorsIn(code)) places.set(name, [...(places.get(name) ?? []), ...spans])
  }
  return (names) => {
    const reached = new Map<FunctionSpan, number>()
    let front: ReadonlySet<string> = names
    for (let distance = 0; distance < DISTANCE_MAX && front.size > 0; distance++) {
      const next = new Set<string>()
      for (const { code, span } of [...front].flatMap((name) => places.get(name) ?? [])) {
        if (reached.has(span)) continue
        reached.set(span, FALL ** distance)
        for (let index = span.bodyIndex; index <= span.endIndex; index++) {
          const { kind, text } = code.tokens[index]!
          if (kind === 'word') next.add(text)
        }
      }
      front = next
    }
    return reached
  }
}

const DISTANCE_MAX = 5
const FALL = 0.9

/** `new Cart()` calls the function `constructor` (or `__init__`) inside the class of that name. */
function* constructorsIn(code: Code): Iterable<[string, Place[]]> {
  for (const [index, token] of code.tokens.entries()) {
    if (token.text !== 'class') continue
    const name = code.tokens[index + 1]
    const span = code.functions.find(
      ({ name: own, nameIndex }) => nameIndex > index && (own === 'constructor' || own === '__init__'),
    )
    if (name?.kind === 'word' && span) yield [name.text, [{ code, span }]]
  }
}
