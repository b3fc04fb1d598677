import { isPerformer } from './import-fences.ts'
import { lineAt, type Source } from './source.ts'

const PURE = /^src\/(?:core|guards|loops|similarity|present)\//

/** What pure code may not touch, and what to do instead. */
const IMPURE: readonly (readonly [pattern: RegExp, what: string, instead: string])[] = [
  [/\bDate\s*\.\s*now\b/g, 'Date.now', 'take the `at` of the last event'],
  [/\bnew\s+Date\b(?!\s*\(\s*[^)\s])/g, 'new Date()', 'take the `at` of the last event'],
  [/\bMath\s*\.\s*random\b/g, 'Math.random', 'derive it from the journal'],
  [/\bawait\b/g, 'await', 'return an effect'],
  [/\basync\b/g, 'async', 'return an effect'],
  [/(?<![.\w])process\s*\./g, 'process', 'hand the value in as a setting or a fact'],
  [/(?<![.\w])(?:setTimeout|setInterval|setImmediate|queueMicrotask)\b/g, 'a timer', 'record `timer.set`'],
  [/(?<![.\w])(?:performance|crypto|console|globalThis)\s*\./g, 'the outside world', 'return an effect'],
  [/(?<![.\w])fetch\s*\(/g, 'fetch', 'return an effect'],
]

/** Clocks, chance, waiting and dependencies in rooms that must be a function of the journal alone. */
export function pureRooms(sources: readonly Source[]): string[] {
  return sources.flatMap((source) =>
    PURE.test(source.path) && !source.isTest && !isPerformer(source.path)
      ? [...foreignImports(source), ...impurities(source)]
      : [],
  )
}

function foreignImports({ path, imports }: Source): string[] {
  return imports
    .filter(({ target }) => target === undefined)
    .map(
      ({ line, specifier }) =>
        `${path}:${line}: imports "${specifier}", but pure code imports only src/core: hand the result in.`,
    )
}

function impurities({ path, code }: Source): string[] {
  return IMPURE.flatMap(([pattern, what, instead]) =>
    [...code.matchAll(pattern)].map(
      ({ index }) => `${path}:${lineAt(code, index)}: uses ${what}, but this room is pure: ${instead}.`,
    ),
  )
}
