import type { Pattern } from '../pattern.ts'
import type { State } from '../state.ts'
import { evidenceOf, lastWhile } from './attempts.ts'

/** One file was edited in each of the last attempts, three at least, and none of them passed: with fewer it says nothing. */
export function sameFileEveryTime({ recent }: State): Pattern | undefined {
  const files = recent.at(-1)?.files ?? []
  const edited = files.map((file) => ({
    file,
    attempts: lastWhile(recent, ({ verdict, files: changed }) => !verdict.passed && changed.includes(file)),
  }))
  const most = edited.reduce<(typeof edited)[number] | undefined>(
    (best, each) => (best && best.attempts.length >= each.attempts.length ? best : each),
    undefined,
  )
  if (!most || most.attempts.length < 3) return undefined
  const message = `${most.file} was edited in each of the last ${most.attempts.length} attempts, and it did not help.`
  return { kind: 'same-file-every-time', message, evidence: evidenceOf(most.attempts, [], [most.file]) }
}
