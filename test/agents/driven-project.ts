import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sqliteStore } from '../../src/stores/sqlite-store.ts'
import type { SealedEvent } from '../../src/stores/store.ts'
import type { AgentStage } from './agent-session.ts'
import type { DrivenAgent } from './agents.ts'
import { RUN } from './driven-run.ts'

/** A `pawl.yaml` that has the command line drive this agent, in one session, with the project's own test. */
export function settingsOf({ name, program, options, environment }: DrivenAgent): string {
  const { model, permissionMode = 'edit' } = options
  const agent = {
    program,
    session: 'continue',
    permission_mode: permissionMode,
    ...(model === undefined ? {} : { model }),
    environment: Object.keys(environment('http://127.0.0.1')),
  }
  return JSON.stringify({
    agent: name,
    probe: false,
    agents: { [name]: agent },
    checks: [{ name: 'tests', command: [process.execPath, '--test'] }],
  })
}

/** Waits until something is so, and fails when it takes too long. */
export async function until(isReached: () => Promise<boolean>): Promise<void> {
  for (let round = 0; round < 900; round++) {
    if (await isReached()) return
    await sleep(100)
  }
  throw new Error('It did not come to that within 90 s.')
}

type Typed<Type extends SealedEvent['type']> = SealedEvent & { readonly type: Type }

/** Events of one type. */
export function eventsOf<Type extends SealedEvent['type']>(events: readonly SealedEvent[], type: Type): readonly Typed<Type>[] {
  return events.filter((event): event is Typed<Type> => event.type === type)
}

/** The journal of the run in the project of a stage, as it is. */
export async function eventsIn({ project }: AgentStage): Promise<readonly SealedEvent[]> {
  const store = sqliteStore({ path: join(project, '.pawl', 'pawl.db') })
  try {
    return await store.read(RUN)
  } finally {
    await store.close()
  }
}
