import { hasStore } from '../../registry/store-address.ts'
import { dirname, join } from 'node:path'
import { listedRun } from '../../engine/bound-sessions.ts'
import { storeIn } from '../../registry/placed-workspace.ts'
import { findProjects } from '../../settings/find-project.ts'
import type { HookAnswer, HookCall, ToolCall } from './protocol.ts'

export interface HookOptions {
  /** Gives a signal that is aborted when the hook has to answer now. */
  readonly timeLimit: () => AbortSignal
  /** Whether the hook's time is up and nobody waits for the answer: what is under way ends, and nothing is decided. Default: never. */
  readonly isAlone?: () => boolean
  /** Answers the end of a turn of the session that has this run, in a process that may outlast the hook. Default: it is answered here. */
  readonly answerApart?: (run: string) => Promise<HookAnswer>
  /** Whether sessions without a run are held to the checks of pawl.yaml. Default false. */
  readonly isAlways?: boolean
  /** One line for whoever looks into the agent's log. */
  readonly say: (line: string) => void
  /**
   * Whether the process exits right after the answer. The store is then left as it is: closing it would take its log into the file
   * and delete it, which waits for the disk four times, and the next hook would make it again.
   */
  readonly isLeaving?: boolean
}

/** Answers one event of an agent. A session without a run of its own is never stopped or blocked. */
export async function hook(call: HookCall, options: HookOptions): Promise<HookAnswer> {
  if (call.kind === 'other') return PASS
  const isAlways = options.isAlways === true
  if (call.kind === 'prompt') return isAlways ? (await import('./always.ts')).onPrompt(call) : PASS
  const stores = findProjects(call.cwd).flatMap(({ storePath }) => (hasStore(storePath) ? [storePath] : []))
  // A session may have gone into a project inside the one that its run belongs to.
  const path = stores.find((each) => listedRun(dirname(each), call) !== undefined) ?? stores[0]
  const isEnd = call.kind === 'stop' && !call.isStillBusy
  if (path === undefined && !(isAlways && isEnd)) {
    options.say(`no .pawl/pawl.db in ${call.cwd} or above`)
    return call.kind === 'stop' ? withoutStore(call.cwd, call) : PASS
  }
  const started = call.tools.filter(isIterationStart)
  const listed = path === undefined ? undefined : listedRun(dirname(path), call)
  if (started.length === 0 && listed === undefined) return isAlways && isEnd ? await answerAlways(call, options) : PASS
  if (path === undefined) return PASS
  if (listed !== undefined && isEnd) return await answerEnd({ ...options, path, call }, listed)
  // Only here: most hooks have nothing to do with any run, and must cost nothing.
  const { answerBound, bindStarted } = await import('./bound-hook.ts')
  if (started.length > 0) return await bindStarted({ ...options, path, call }, started.flatMap(startedRuns))
  return listed === undefined ? PASS : await answerBound({ ...options, path, call }, listed)
}

/** The end of a turn of a session that no run belongs to, where the checks of pawl.yaml hold for every session. */
async function answerAlways(call: HookCall, options: HookOptions): Promise<HookAnswer> {
  const { startIfChanged } = await import('./always.ts')
  const begun = await startIfChanged(call)
  return 'kind' in begun ? begun : await answerEnd({ ...options, path: begun.path, call }, begun.run)
}

async function answerEnd(
  event: HookOptions & { readonly path: string; readonly call: HookCall },
  run: string,
): Promise<HookAnswer> {
  if (event.answerApart) return await event.answerApart(run)
  const { answerBound } = await import('./bound-hook.ts')
  const answer = await answerBound(event, run)
  return event.isAlways ? (await import('./always.ts')).afterRun(event.call, event.path, run, answer) : answer
}

const PASS: HookAnswer = { kind: 'pass' }

/** Most folders never had a store, and nothing is said there. One in which this session has a run has lost it. */
function withoutStore(folder: string, call: HookCall): HookAnswer {
  const run = listedRun(join(folder, '.pawl'), call)
  const note = `Pawl: run ${run} of this session was kept in ${storeIn(folder)}, which is gone. This session is let go.`
  if (run !== undefined) return { kind: 'pass', note }
  return dirname(folder) === folder ? PASS : withoutStore(dirname(folder), call)
}

/** Whether the call started a run through Pawl's MCP server, whatever the agent calls that server's tools. */
function isIterationStart({ name }: ToolCall): boolean {
  return /^mcp_.*pawl.*_iteration_start$/i.test(name)
}

/**
 * Possible names of the run that the call started, the likeliest first; the store knows which one exists. Only the result counts: a
 * refused call has none, and the task it asked for may be another session's.
 */
function startedRuns({ response }: ToolCall): readonly string[] {
  const found: string[] = []
  collect(response, found, 0)
  return [...new Set(found)].filter((name) => /^[a-z0-9][\w.-]{0,99}$/i.test(name)).slice(0, NAMES_MAX)
}

const NAMES_MAX = 8
const DEPTH_MAX = 8
const FIELDS = ['iterationId', 'runId', 'run']

/** Results of MCP tools come as text, as blocks of text or as data, depending on the agent. */
function collect(value: unknown, found: string[], depth: number): void {
  if (depth > DEPTH_MAX) return
  if (typeof value === 'string') return collectText(value, found, depth)
  if (typeof value !== 'object' || value === null) return
  const fields = value as Readonly<Record<string, unknown>>
  if (isRefusal(fields)) return
  const names = FIELDS.map((name) => fields[name]).filter((name) => typeof name === 'string')
  // What is beside a run's name is about that run: settings, briefs, words of others.
  if (names.length > 0) found.push(...names)
  else for (const each of Object.values(fields)) collect(each, found, depth + 1)
}

function isRefusal({ isError, is_error, error }: Readonly<Record<string, unknown>>): boolean {
  return isError === true || is_error === true || (error !== undefined && error !== null && error !== false)
}

function collectText(text: string, found: string[], depth: number): void {
  const json = text.slice(text.search(/[[{]/))
  if (!/^[[{]/.test(json)) return
  try {
    collect(JSON.parse(json), found, depth + 1)
  } catch {
    // A text like any other: it names no run.
  }
}
