import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Event } from '../../src/core/event.ts'
import { hook } from '../../src/surfaces/hooks/hook.ts'
import { readCall } from '../../src/surfaces/hooks/protocol.ts'
import { ralph } from '../../src/surfaces/cli/commands/ralph.ts'
import { sqliteStore } from '../../src/stores/sqlite-store.ts'
import { collectingContext } from '../support/collecting-context.ts'

/** Flags of `pawl ralph --bind` that an agent may give. */
export type SessionFlags = Pick<Parameters<typeof ralph>[1], 'check' | 'maxIterations'>

/** The project's own settings, as a person wrote them. */
export async function configure(folder: string, check: string): Promise<void> {
  const tests = `{ name: tests, command: ${JSON.stringify(check)}, environment: [PATH, HOME] }`
  await writeFile(join(folder, 'pawl.yaml'), `agent: claude\nbaseline: true\nmax_iterations: 3\nchecks:\n  - ${tests}\n`)
}

/** Has a session of Claude work on a run that it bound itself; its hook answers every end of a turn, until it lets the session stop. */
export async function runInSession(
  folder: string,
  work: (iteration: number) => Promise<void> | void,
  says: string,
  flags: SessionFlags,
): Promise<readonly Event[]> {
  const context = collectingContext(folder)
  await ralph(context, { prompt: 'Do the work', id: 'r', bind: 's-1', agent: 'claude', ...flags })
  const input = { hook_event_name: 'Stop', session_id: 's-1', cwd: folder, last_assistant_message: says }
  for (let iteration = 1, isHeld = true; isHeld && iteration <= ITERATIONS_MAX; iteration++) {
    await work(iteration)
    const call = readCall('claude', JSON.stringify(input), folder)
    if (typeof call === 'string') throw new Error(call)
    const answer = await hook(call, { timeLimit: () => new AbortController().signal, say: () => undefined })
    isHeld = answer.kind === 'block'
  }
  const store = sqliteStore({ path: context.project.storePath })
  try {
    return await store.read('r')
  } finally {
    await store.close()
  }
}

/** More than pawl.yaml allows. */
const ITERATIONS_MAX = 5
