import type { Fact } from '../core/event.ts'
import { canonical } from './canonical.ts'

/** The part of an event's canonical text that says who says what: all of it that could hold a secret. */
export function contentOf({ by, data }: Fact): string {
  return `"by":${canonical(by)},"data":${canonical(data)}`
}

/** Remembers the content of a fact in which no secret was found: the runner looks before it decides, and sealing need not look again. */
export function rememberClean({ by, data }: Fact, content: string): void {
  clean.set(data, { by, content })
}

/** The content of a fact whose very data were found clean before; nothing for any other. */
export function cleanContentOf({ by, data }: Fact): string | undefined {
  const known = clean.get(data)
  return known?.by === by ? known.content : undefined
}

const clean = new WeakMap<object, { readonly by: Fact['by']; readonly content: string }>()
