import { expect, it } from 'vitest'
import type { SeedCheckpoint } from './seed-checkpoint.ts'
import { found, playResearch } from '../../../test/support/research-play.ts'
import { evolve } from '../evolve.ts'
import type { Event } from '../../core/event.ts'
import type { State } from '../../core/state.ts'
import { checkpointOf } from './index.ts'
import { researchLoop } from './loop.ts'

const CHECKPOINT: SeedCheckpoint = {
  session_id: 'research-abc123',
  iteration: 2,
  timestamp: '2025-12-28T14:30:00Z',
  findings: [
    {
      id: 'finding-001',
      description: 'Uses JWT for authentication',
      confidence: 0.9,
      citations: ['AuthController.cs:42', 'LoginService.cs:15'],
      source_agents: ['ExploreAgent', 'SecurityAgent'],
      iteration_discovered: 1,
    },
  ],
  coverage: 0.75,
  files_analyzed: ['AuthController.cs', 'LoginService.cs', 'User.cs'],
  unresolved_conflicts: 0,
  convergence_status: 'not_converged',
  gaps_identified: [{ type: 'confidence_gap', finding_id: 'finding-003', reason: 'Missing code evidence' }],
}

it('RES-59 a checkpoint in the seed’s shape is taken in and given out field for field', () => {
  const loop = researchLoop({ goal: 'How does authentication work?', checkpoint: CHECKPOINT })
  const none = { name: 'given', v: 1, settings: {} }
  const config = { loop: loop.spec, guards: [], agent: none, checks: [], workspace: none }
  const at = Date.parse(CHECKPOINT.timestamp)
  const run = CHECKPOINT.session_id
  const events = [
    { seq: 1, run, v: 1, at, by: { role: 'runner' }, type: 'run.started', data: { config } },
    { seq: 2, run, v: 1, at, by: { role: 'loop' }, type: 'checkpoint.imported', data: { checkpoint: CHECKPOINT } },
  ] as const as readonly Event[]
  const state = events.reduce<State | undefined>(evolve, undefined) as State
  expect(checkpointOf(state)).toEqual(CHECKPOINT)
})

it('RES-60 a run that continues from a checkpoint sends agents for its gaps, counts on from its iteration, and verifies what it cites', () => {
  const { eventsOf, state } = playResearch({
    settings: { goal: 'How does authentication work?', checkpoint: CHECKPOINT },
    files: { 'AuthController.cs': 'var token = Login(user);', 'Other.cs': 'nothing' },
    tell: (role) =>
      role === 'explore' ? { findings: [found('Login gives a token', ['AuthController.cs:1:var token = Login'])] } : undefined,
  })
  expect(eventsOf('specialist.assigned')[0]?.data.gapKind).toBeDefined()
  expect(eventsOf('convergence.measured').map(({ data }) => data.iteration)).toEqual([3, 4, 5, 6])
  expect(state.slices?.research?.findings.map(({ id }) => id)).toEqual(['finding-001', 'finding-002'])
  expect(state.slices?.research?.findings[0]?.citations.map(({ status }) => status)).toEqual(['refuted', 'refuted'])
  expect(state.slices?.research?.findings[0]?.confidence).toBe(0.28)
})
