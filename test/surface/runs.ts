import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { nameText, objectText } from './lines.ts'
import { inFolder, mapSome, pawl } from './pawl.ts'

const COMMON = ['--id', 'r', '--no-ask', '--json']
const PARTS = ['--agent-command', 'true', '--check', 'false', '--max-iterations', '1']

/** One small run of each loop, with as few flags as it takes. */
const LOOPS: Readonly<Record<string, readonly string[]>> = {
  task: ['task', 'Make it', ...PARTS],
  ralph: ['ralph', '--prompt', 'Make it', ...PARTS],
  review: ['review', 'plan.md', '--reviewer', 'person', ...PARTS],
  research: ['research', 'Where is the plan?', '--offline'],
}

export interface RecordedRuns {
  /** The settings that a run of each loop has when few are given, with all defaults, as its first event has them. */
  readonly settings: Record<string, string>
  /** The fields of an event, and the versions of the types that these runs wrote. */
  readonly envelope: readonly string[]
  readonly versions: Record<string, readonly string[]>
}

interface StoredEvent {
  readonly type: string
  readonly v: number
  readonly data: Record<string, unknown>
}

/** What is in the journals of small runs of all loops. */
export async function recordedRuns(): Promise<RecordedRuns> {
  const journals = await mapSome(Object.entries(LOOPS), async ([loop, words]) =>
    inFolder(async (folder) => {
      const cwd = join(folder, 'project')
      mkdirSync(cwd)
      writeFileSync(join(cwd, 'plan.md'), '- [ ] Make it\n')
      const { stderr } = await pawl([...words, ...COMMON], { cwd })
      const { stdout, code } = await pawl(['log', 'r', '--json'], { cwd })
      if (code !== 0) throw new Error(`There is no run of ${loop}: ${stderr}`)
      const lines = stdout.replaceAll(cwd, 'FOLDER').trim().split('\n')
      return { loop, events: lines.map((line) => JSON.parse(line) as StoredEvent) }
    }),
  )
  const events = journals.flatMap((journal) => journal.events)
  const types = Map.groupBy(events, ({ v }) => String(v))
  return {
    settings: Object.fromEntries(journals.map((journal) => [journal.loop, valueText(journal.events[0]?.data['config'])])),
    envelope: [...new Set(events.flatMap((event) => Object.keys(event)))].toSorted(),
    versions: Object.fromEntries([...types].map(([v, all]) => [v, [...new Set(all.map(({ type }) => type))].toSorted()])),
  }
}

/** Data as text. What is said in words is wording. */
function valueText(value: unknown): string {
  if (typeof value === 'string') return value.includes(' ') ? 'text' : value
  if (Array.isArray(value) && value.some((each) => typeof each === 'object'))
    return `[${value.map((each) => `\n${valueText(each)}`).join('')}\n]`
  if (Array.isArray(value)) return `[${value.map((each) => valueText(each)).join(', ')}]`
  if (typeof value !== 'object' || value === null) return String(value)
  return objectText(Object.entries(value).map(([name, each]) => `${nameText(name)}: ${valueText(each)}`))
}
