import { lineAt, type Source } from './source.ts'

/** Tests that are switched off, and test files that assert nothing. */
export function honestTests(sources: readonly Source[]): string[] {
  return sources.flatMap((source) => (source.isTest ? [...switchedOff(source), ...asserting(source)] : []))
}

function switchedOff({ path, code }: Source): string[] {
  const switched = /\b(?:describe|it|test|suite)(?:\.\w+)*\.(only|skip|todo)\b/g
  return [...code.matchAll(switched)].map(
    ({ index, 1: word }) =>
      `${path}:${lineAt(code, index)}: has .${word}: run the test or delete it (skipIf with a reason is allowed).`,
  )
}

/** A conformance suite brings its assertions along. */
function asserting({ path, code }: Source): string[] {
  if (/\b(?:expect|assert)\b|Conformance\(/.test(code)) return []
  return [`${path}:1: asserts nothing: add an expectation or delete the file.`]
}
