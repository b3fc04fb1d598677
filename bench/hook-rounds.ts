import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { defaultGuards, maxIterations } from '../src/guards/index.ts'
import { type SessionProject, sessionProject } from '../test/support/session-project.ts'

const ROOT = join(import.meta.dirname, '..')
const PAWL = join(ROOT, 'bin', 'pawl')
const OWN_NODE = join(ROOT, 'node_modules', 'node', 'bin', 'node')
const START_MS_MAX = 60_000

/** The same Node that bin/pawl chooses. */
const NODE = existsSync(OWN_NODE) ? OWN_NODE : 'node'

/** Whether the hook's bundle is there to be measured. */
export const isHookBuilt = existsSync(join(ROOT, 'dist', 'hook.cjs'))

/** A bound run that has come to an iteration by failing checks. */
export async function boundRun(iteration: number): Promise<SessionProject> {
  const project = sessionProject()
  const [, ...guards] = defaultGuards()
  const tolerant = guards.filter(({ spec }) => spec.severity === 'warn')
  await project.begin('bench', 's-1', { guards: [maxIterations(1_000_000), ...tolerant] })
  await project.skipTo('bench', iteration)
  return project
}

/** How long the hook of a tool takes on a bound run, as agents call it, from start to exit, its durable write included. */
export function hookRound({ root }: SessionProject, round: number): number {
  const tool = { tool_name: 'Bash', tool_input: { command: `step ${round}` }, tool_response: { stdout: `${round} files` } }
  const input = JSON.stringify({ cwd: root, session_id: 's-1', hook_event_name: 'PostToolBatch', tool_calls: [tool] })
  return timed(PAWL, ['hook', 'claude'], input)
}

/** How long Node takes to do nothing. */
export function bareNode(): number {
  return timed(NODE, ['-e', '0'], '')
}

function timed(program: string, args: readonly string[], input: string): number {
  const startedAt = performance.now()
  const { status, stderr, error } = spawnSync(program, args, { env: { PATH: process.env['PATH'] }, input, timeout: START_MS_MAX })
  const durationMs = performance.now() - startedAt
  if (status === 0 && stderr.length === 0) return durationMs
  throw new Error(`${program} ${args.join(' ')} failed (${error?.message ?? `exit code ${status}: ${String(stderr)}`}).`)
}
