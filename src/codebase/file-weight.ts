import { languageOf } from './languages.ts'

const TEST =
  /(?:^|\/)(?:tests?|__tests__|spec|specs|testdata|fixtures|e2e)\/|[._-](?:test|spec)\.[^/]+$|(?:^|\/)test_[^/]*\.py$|Tests?\.(?:java|cs)$/

/** Whether a file is a test or belongs to tests, by its path. */
export function isTestPath(path: string): boolean {
  return TEST.test(path)
}

/** How much a match in a file counts: code answers questions about code, tests show it at work, everything else talks about it. */
export function fileWeight(path: string): number {
  if (languageOf(path) === undefined) return 0.5
  return isTestPath(path) ? 0.7 : 1
}
