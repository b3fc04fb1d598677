import { open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { eventIn, fieldsOf } from './streams/stream-reading.ts'

/**
 * The model that Codex worked with, from its own record of the session: its events do not tell. `undefined` where the record is not where
 * Codex keeps it, or does not say.
 */
export async function codexModel(thread: string, environment: Readonly<Record<string, string>>): Promise<string | undefined> {
  const { CODEX_HOME: home, HOME: user } = environment
  const folder = home ?? (user === undefined ? undefined : join(user, '.codex'))
  if (folder === undefined) return undefined
  for (const day of daysOf(thread)) {
    const place = join(folder, 'sessions', ...day.split('-'))
    const name = (await readdir(place).catch(() => [])).find((each) => each.endsWith(`-${thread}.jsonl`))
    if (name !== undefined) return modelIn(await startOf(join(place, name)).catch(() => ''))
  }
  return undefined
}

/** The id of a thread begins with the milliseconds of its start; its folder is named after the day, in whatever zone Codex was in. */
function daysOf(thread: string): readonly string[] {
  const startedAt = /^[\da-f]{8}-[\da-f]{4}-7/.test(thread)
    ? Number.parseInt(thread.replace('-', '').slice(0, 12), 16)
    : Number.NaN
  if (Number.isNaN(startedAt)) return []
  return [0, -1, 1].map((days) => new Date(startedAt + days * DAY_MS).toISOString().slice(0, 10))
}

const DAY_MS = 24 * 3_600_000

/** Every turn begins with a `turn_context`; the last one counts. */
function modelIn(text: string): string | undefined {
  const line = text.split('\n').findLast((each) => each.includes('"type":"turn_context"'))
  const { model } = fieldsOf(fieldsOf(eventIn(line ?? ''))['payload'])
  return typeof model === 'string' && /^[\w.:/@-]{1,100}$/.test(model) ? model : undefined
}

/** A long session is read in part: what it began with is good enough. */
async function startOf(path: string): Promise<string> {
  const file = await open(path)
  try {
    const buffer = Buffer.alloc(BYTES_MAX)
    const { bytesRead } = await file.read(buffer, 0, BYTES_MAX, 0)
    return buffer.toString('utf8', 0, bytesRead)
  } finally {
    await file.close()
  }
}

const BYTES_MAX = 2 * 1024 * 1024
