import type { Fact } from '../core/event.ts'
import { canonical } from './canonical.ts'

/** The part of an event's canonical text that says who says what: all of it that could hold a secret. */
export function contentOf({ by, data }: Fact): string {
  return `"by":${canonical(by)},"data":${canonical(data)}`
}

/**
 * The same fact, with the content in which no secret was found: the runner looks before it decides, and sealing need not look
 * again. It goes along with copies of the fact and stands in no text.
 */
export function withCleanContent<Type extends Fact>(fact: Type, content: string): Type {
  const clean: Clean = { by: fact.by, data: fact.data, content }
  return { ...fact, [CLEAN]: clean }
}

/** The content of a fact whose very data were found clean before; nothing for any other. */
export function cleanContentOf(fact: Fact & { readonly [CLEAN]?: Clean }): string | undefined {
  const known = fact[CLEAN]
  return known?.data === fact.data && known.by === fact.by ? known.content : undefined
}

const CLEAN = Symbol('clean content')

interface Clean extends Pick<Fact, 'by' | 'data'> {
  readonly content: string
}
