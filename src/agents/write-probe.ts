import { mkdir, readFile, realpath, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Usage } from '../core/event-data.ts'
import { makeOwnedFolder } from '../process/owned-folder.ts'
import type { Agent, WorkResult } from './agent.ts'

/** What a short call showed: whether the agent can write a file here. `unknown`: something else went wrong, which a run reports better. */
export type WriteProbe =
  | ({ readonly status: 'writes' | 'unknown' } & Usage)
  | ({ readonly status: 'cannot'; readonly message: string; readonly fix: string } & Usage)

/** Has the agent write one file in an empty folder. */
export async function probeWriting(agent: Agent, signal: AbortSignal): Promise<WriteProbe> {
  const folder = await makeOwnedFolder()
  const cwd = join(folder, 'project')
  await mkdir(cwd)
  try {
    const request = { run: PROBE, iteration: 0, role: PROBE, brief: BRIEF, cwd, deadlineMs: DURATION_MS_MAX }
    const context = { signal, started: async () => undefined, progress: () => undefined }
    const result = await agent.work(request, context)
    const hasWritten = (await readFile(join(cwd, FILE), 'utf8').catch(() => undefined)) !== undefined
    return probeIn(result, hasWritten)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** The role of an agent that is asked to write one file. */
export const PROBE = 'probe'

const FILE = 'ready.txt'
const BRIEF = `Create the file ${FILE} in the current folder with the text "ready". Do nothing else.\n`
const DURATION_MS_MAX = 2 * 60_000

function probeIn(result: WorkResult, hasWritten: boolean): WriteProbe {
  const usage = usageIn(result)
  if (hasWritten) return { status: 'writes', ...usage }
  const isOthers = (result.status === 'failed' || result.status === 'timed-out') && result.fault !== 'agent'
  if (result.status === 'aborted' || isOthers) return { status: 'unknown', ...usage }
  const denied = 'denied' in result ? result.denied : undefined
  const why = denied?.message ?? (result.status === 'asked' ? `It asked: ${result.ask.title}` : WHY[result.status])
  const fix = denied?.fix ?? 'Set `permission_mode: edit` or `full` for it in pawl.yaml, or look at its own settings.'
  return { status: 'cannot', message: why, fix, ...usage }
}

const WHY = {
  finished: 'It ended without the file.',
  failed: 'It failed.',
  'timed-out': 'It had not ended after two minutes, as if it waited for a permission.',
}

function usageIn({ costUsd, tokens }: Usage): Usage {
  return { ...(costUsd === undefined ? {} : { costUsd }), ...(tokens === undefined ? {} : { tokens }) }
}

/** The agent, whose first work counts what the probe used as well. */
export function withProbeUsage(agent: Agent, { costUsd = 0, tokens = 0 }: Usage): Agent {
  let isCounted = costUsd === 0 && tokens === 0
  const work: Agent['work'] = async (request, context) => {
    const result = await agent.work(request, context)
    if (isCounted) return result
    isCounted = true
    return { ...result, costUsd: (result.costUsd ?? 0) + costUsd, tokens: (result.tokens ?? 0) + tokens }
  }
  // Not a copy: what an agent under ceilings inherits would be lost.
  return Object.assign(Object.create(agent) as Agent, { work })
}

/** The version of an installed program, without starting it: from its npm package, or from the folder that an installer names after it. */
export async function installedVersion(program: string, npmPackage: string): Promise<string | undefined> {
  const path = await realpath(program).catch(() => undefined)
  if (path === undefined) return undefined
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
    if (basename(folder) === 'node_modules') break
    const text = await readFile(join(folder, 'package.json'), 'utf8').catch(() => undefined)
    const { name, version } = manifestIn(text)
    if (name === npmPackage && typeof version === 'string') return version
  }
  return /\/(?:versions|Cellar\/[^/]+)\/(\d+\.\d+[\w.-]*)(?=\/|$)/.exec(path)?.[1]
}

function manifestIn(text = '{}'): { readonly name?: unknown; readonly version?: unknown } {
  try {
    return (JSON.parse(text) ?? {}) as object
  } catch {
    return {}
  }
}
