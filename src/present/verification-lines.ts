import { counted } from '../core/wording.ts'
import { labelled, type Screen } from './layout.ts'

/** What checking a run came to, as far as it is shown. */
export interface Verified {
  readonly run: string
  readonly ok: boolean
  readonly events: number
  readonly texts: number
  readonly hash?: string
  readonly problems: readonly { readonly message: string }[]
}

/** "ok" with the counts and the head's hash, or what is wrong, the first few of many. */
export function verificationLines(
  { run, ok, events, texts, hash, problems }: Verified,
  { columns, paint }: Screen,
): readonly string[] {
  const counts = `${counted(events, 'event')}, ${counted(texts, 'text')}`
  if (ok) return [`${paint('green', 'ok')}   ${run}: ${counts}, head ${hash}`]
  const shown = problems.slice(0, PROBLEMS_SHOWN_MAX)
  const more = problems.length > shown.length ? [`     and ${problems.length - shown.length} more; --json has them all`] : []
  return [
    `${paint('red', 'BAD')}  ${run}: ${counts}`,
    ...shown.flatMap(({ message }) => labelled('', message, columns, 5)),
    ...more,
  ]
}

const PROBLEMS_SHOWN_MAX = 5
