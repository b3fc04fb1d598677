import type { PartSpec, RunConfig } from '../../core/run-config.ts'
import { shortened } from '../../core/wording.ts'
import type { TranscriptSession, TranscriptTurn } from './transcript-turn.ts'

/** The configuration of a run that was imported: where it comes from, and nothing that could be built again. */
export function importedConfig(agent: string, session: TranscriptSession, file: string, first: TranscriptTurn): RunConfig {
  const { id, cwd, version } = session
  const goal = shortened(first.prompt?.text ?? '', GOAL_LENGTH_MAX)
  const settings = { ...(goal === '' ? {} : { goal }), kind: 'turns', agent, session: id, file }
  return {
    loop: part(IMPORTED, { ...settings, ...(version === undefined ? {} : { version }) }),
    guards: [],
    agent: part(agent, first.model === undefined ? {} : { model: first.model }),
    checks: [],
    workspace: part(IMPORTED, cwd === undefined ? {} : { path: cwd }),
  }
}

/** The session that a run was imported from; `undefined` for a run of Pawl's own. */
export function importedFrom({ loop }: RunConfig): { readonly agent: string; readonly session: string } | undefined {
  const { agent, session } = loop.settings
  if (loop.name !== IMPORTED || typeof agent !== 'string' || typeof session !== 'string') return undefined
  return { agent, session }
}

/** The name of the loop of such a run. */
const IMPORTED = 'imported'

const GOAL_LENGTH_MAX = 300

function part(name: string, settings: PartSpec['settings']): PartSpec {
  return { name, v: 1, settings }
}
