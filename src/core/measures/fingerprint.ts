import type { Failure } from '../failure.ts'
import { textHash } from '../text-hash.ts'

/** The same for the same set of failures, whatever their order and whatever the clock, the process id or the machine. */
export function failureFingerprint(failures: readonly Failure[]): string {
  const lines = failures.map((failure) => `${failure.id}\n${plainMessage(failure)}`)
  return textHash(lines.length === 1 ? (lines[0] ?? '') : [...new Set(lines)].toSorted().join('\n\n'))
}

/**
 * What a failure says, without what differs from run to run. The last messages are remembered: briefs and guards ask again and again,
 * and most iterations fail with what the one before failed with.
 */
export function plainMessage({ message }: Failure): string {
  const known = plainMessages.get(message)
  if (known !== undefined) return known
  const plain = withoutNoise(message)
  if (message.length > REMEMBERED_LENGTH_MAX) return plain
  if (plainMessages.size >= REMEMBERED_MAX) plainMessages.clear()
  plainMessages.set(message, plain)
  return plain
}

const plainMessages = new Map<string, string>()
const REMEMBERED_MAX = 500
const REMEMBERED_LENGTH_MAX = 4000

/** Leaves out what differs from run to run without meaning anything: durations, times, addresses, ids, temporary paths. */
function withoutNoise(text: string): string {
  return text
    .replaceAll(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, '<id>')
    .replaceAll(/\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?/g, '<time>')
    .replaceAll(/\b0x[0-9a-f]+\b/gi, '<address>')
    .replaceAll(/\b\d+(\.\d+)?\s?(ms|µs|ns|s|sec|seconds|minutes|m)\b/g, '<duration>')
    .replaceAll(/(\/tmp|\/var\/folders|\/private\/var)\/[^\s'")]+/g, '<temporary path>')
    .replaceAll(/\bpid[ :=]\d+/gi, '<pid>')
    .replaceAll(/\s+/g, ' ')
    .trim()
}
