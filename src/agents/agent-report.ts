import { lstat, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Fault, Usage } from '../core/event-data.ts'
import type { Instant } from '../core/event.ts'
import { COST_USD_MAX, isCost, isTokenCount, TOKENS_MAX } from '../core/spending.ts'
import { thousands } from '../core/wording.ts'
import { cleanText } from '../process/output.ts'
import { makeOwnedFolder } from '../process/owned-folder.ts'
import { instantFromEpoch } from './reset-time.ts'

/**
 * What a program reports about its work, as JSON in the file that PAWL_REPORT_FILE names. Every field is optional.
 */
export interface AgentReport extends Usage {
  readonly summary?: string
  /** The agent's own session, to continue it later. */
  readonly session?: string
  /** Why the work could not be done, if it wasn't the agent's fault. */
  readonly fault?: Fault
  readonly message?: string
  /** How to fix it, in a sentence. */
  readonly fix?: string
  /** When a provider limit ends: ISO 8601, or seconds or milliseconds since the epoch. */
  readonly retryAt?: Instant
}

export interface AgentReportReading {
  readonly report: AgentReport
  /** What could not be used; the rest is used anyway. */
  readonly problems: readonly string[]
}

export interface AgentReportFile {
  readonly path: string
  read(): Promise<AgentReportReading>
  remove(): Promise<void>
}

/** A new place for a report; the program itself creates the file. */
export async function openAgentReportFile(within?: string): Promise<AgentReportFile> {
  const folder = await makeOwnedFolder(within)
  const path = join(folder, 'report.json')
  return {
    path,
    read: async () => {
      try {
        return readAgentReport(await contentOf(path))
      } catch (error) {
        return { report: {}, problems: [`it could not be read (${(error as Error).message})`] }
      }
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

/** Reads the valid fields, and names the others. An empty text is no report and no problem. */
export function readAgentReport(text: string): AgentReportReading {
  if (text.trim() === '') return { report: {}, problems: [] }
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (error) {
    return { report: {}, problems: [`it is not JSON (${(error as Error).message})`] }
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json))
    return { report: {}, problems: ['it is not a JSON object'] }
  const report: Record<string, unknown> = {}
  const problems: string[] = []
  for (const [name, value] of Object.entries(json)) {
    const field = FIELDS.get(name)
    // Unknown fields are for others; many languages write null for "nothing".
    if (field === undefined || value === null) continue
    const read = field.read(value)
    if (read === undefined) problems.push(`${name} must be ${field.form}`)
    else report[name] = read
    if (read === undefined && USED.has(name)) report['isUsagePartial'] = true
  }
  return { report, problems }
}

const REPORT_BYTES_MAX = 64 * 1024

async function contentOf(path: string): Promise<string> {
  const stats = await lstat(path).catch(() => undefined)
  if (stats === undefined) return ''
  // A pipe would never end, and a link may point anywhere.
  if (!stats.isFile()) throw new Error('not a regular file')
  if (stats.size > REPORT_BYTES_MAX) throw new Error(`longer than ${REPORT_BYTES_MAX} bytes`)
  return readFile(path, 'utf8')
}

interface Field {
  readonly form: string
  readonly read: (value: unknown) => string | number | undefined
}

const TEXT: Field = { form: 'text', read: (value) => (typeof value === 'string' ? cleanText(Buffer.from(value)) : undefined) }
const FAULTS: readonly unknown[] = ['agent', 'environment', 'config', 'provider-limit'] satisfies readonly Fault[]

/** An agent that reports one of these in an unusable form still used something. */
const USED: ReadonlySet<string> = new Set(['costUsd', 'tokens'])

const FIELDS: ReadonlyMap<string, Field> = new Map<string, Field>([
  ['costUsd', { form: `a number from 0 to ${thousands(COST_USD_MAX)}`, read: (value) => (isCost(value) ? value : undefined) }],
  [
    'tokens',
    {
      form: `a whole number from 0 to ${thousands(TOKENS_MAX)}`,
      read: (value) => (isTokenCount(value) && Number.isSafeInteger(value) ? value : undefined),
    },
  ],
  ['summary', TEXT],
  ['session', TEXT],
  ['message', TEXT],
  ['fix', TEXT],
  ['fault', { form: `one of ${FAULTS.join(', ')}`, read: (value) => (FAULTS.includes(value) ? (value as Fault) : undefined) }],
  ['retryAt', { form: 'an ISO 8601 date, or seconds or milliseconds since the epoch', read: readInstant }],
])

function readInstant(value: unknown): Instant | undefined {
  if (typeof value === 'string') return Number.isNaN(Date.parse(value)) ? undefined : Date.parse(value)
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? instantFromEpoch(value) : undefined
}
