import { findKnownSecrets } from './known-values.ts'
import { findSecretsByOwnRules } from './rules.ts'
import { lastBefore, mergeOverlapping, type SecretSpan } from './secret-span.ts'
import { findSecretsBySecretlint } from './secretlint.ts'
import { withoutEntities } from './without-entities.ts'
import { withoutEscapes } from './without-escapes.ts'

/** Every secret in a text that is known or that a rule finds. */
export async function findSecrets(text: string): Promise<readonly SecretSpan[]> {
  const spans = await findInAllReadings(text)
  return withoutCovered(spans).map((span) => (span.isExact ? { ...span, start: startWithEscape(text, span.start) } : span))
}

/** In the text as it stands, and as it reads without escapes: what agents and tools print is JSON or XML as often as not. */
async function findInAllReadings(text: string): Promise<readonly SecretSpan[]> {
  const spans = [...findKnownSecrets(text), ...(await findByRules(text))]
  for (const read of [withoutEscapes, withoutEntities]) {
    const plain = read(text)
    if (!plain) continue
    for (const { isExact, ...span } of await findByRules(plain.text)) {
      const [start, end] = [plain.at(span.start), plain.endAt(span.end)]
      spans.push({ ...span, start, end, ...(isExact && isWhole(text, start, end) ? { isExact } : {}) })
    }
  }
  return spans
}

async function findByRules(text: string): Promise<readonly SecretSpan[]> {
  const own = findSecretsByOwnRules(text)
  const passwords = own.filter(({ kind }) => kind === 'url-password')
  return [...own, ...(await findSecretsBySecretlint(text)).filter((span) => !isAddressOf(span, passwords))]
}

/** secretlint takes an address whole; of those whose password was found, nothing more has to go. */
function isAddressOf({ start, end, kind }: SecretSpan, passwords: readonly SecretSpan[]): boolean {
  if (kind !== 'basicauth' && kind !== 'database-connection-string') return false
  return passwords.some((password) => password.start >= start && password.end <= end)
}

/** Whether a place that was found without escapes is one stretch between marks that are escaped alike: else a mark within the secret ended it. */
function isWhole(text: string, start: number, end: number): boolean {
  const before = /(\\*)["'`]$/.exec(text.slice(Math.max(0, start - 20), start))?.[1]
  const after = /^(\\*)["'`]/.exec(text.slice(end, end + 20))?.[1]
  return !text.slice(start, end).includes('\\') && (before === undefined || after === undefined || before === after)
}

/** Without what is not known exactly and lies in what is: the line need not go with it, unless more of the secret stands there. */
function withoutCovered(spans: readonly SecretSpan[]): readonly SecretSpan[] {
  const exact = mergeOverlapping(spans.filter(({ isExact }) => isExact))
  return spans.filter(
    ({ start, end, isExact, takesLine }) => isExact || takesLine || (lastBefore(exact, start + 1)?.end ?? -1) < end,
  )
}

/** A line end before `ew-word` reads `\new-word` in JSON: without the letter the sign before it would make the JSON unreadable. */
function startWithEscape(text: string, start: number): number {
  if (!/["'/\\bfnrtu]/.test(text.charAt(start))) return start
  let first = start
  while (text.charAt(first - 1) === '\\') first--
  return first
}
