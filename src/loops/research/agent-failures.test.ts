import { describe, expect, it } from 'vitest'
import { checkedRunId } from '../../core/names.ts'
import { found, playResearch, type Told } from '../../../test/support/research-play.ts'
import { markdownReport, researchResult, type ResearchSettings } from './index.ts'
import { researchLoop } from './loop.ts'
import { requirePlayers } from './settings.ts'

const FILES = { 'src/login.ts': 'export const login = 1', 'src/session.ts': 'export const session = 30' }

const LOGIN = found('The login is a constant', ['src/login.ts:1:export const login', 'src/session.ts:1:export const session'], {
  answers: ['question-1'],
})
const ANSWERED = { questions: [{ id: 'question-1', status: 'answered' as const }] }

const claim = (value: string, unit: string) => [{ subject: 'session', attribute: 'lifetime', value, unit }]

const wrong = (settings: object) => () => researchLoop({ goal: 'x', ...settings })

function maximum(settings: Partial<ResearchSettings>): number | undefined {
  const given = { goal: 'Where is it?', iterationsMax: undefined, ...settings } as Partial<ResearchSettings>
  return playResearch({ settings: given, files: FILES, tell: () => undefined }).state.slices?.research?.strategy?.iterationsMax
}

describe('agents that fail', () => {
  it('RES-90 a run in which no agent ever answered is stopped with what they said, and is never a success', () => {
    const { state, eventsOf } = playResearch({ files: FILES, tell: () => ({ fails: 'no such model' }) })
    expect(state.status).toBe('stopped')
    expect(eventsOf('run.completed')).toEqual([])
    expect(state.message).toMatch(/^No agent ever answered, so nothing is known: \w+: it failed: no such model/)
    expect(researchResult(state).status).toBe('PARTIAL')
  })

  it('RES-91 an agent that failed is named in the reason, the message and the report, also where every criterion holds', () => {
    const { state, eventsOf } = playResearch({
      files: FILES,
      tell: (role): Told | undefined => {
        if (role === 'pattern') return { fails: 'out of memory' }
        return role === 'explore' ? { findings: [LOGIN], ...ANSWERED } : undefined
      },
    })
    const measured = eventsOf('convergence.measured').at(-1)?.data
    expect(measured).toMatchObject({ status: 'FULL', agentFailures: ['pattern'] })
    expect(measured?.reason).toBe('All 4 criteria hold, but 1 agent failed: pattern (it failed: out of memory).')
    expect(state.message).toContain('But 1 agent failed: pattern.')
    expect(markdownReport(researchResult(state))).toContain('In the last iteration 1 agent failed: pattern.')
  })

  it('RES-92 an agent that failed is sent once more in the same iteration where that is configured', () => {
    let sent = 0
    const { eventsOf } = playResearch({
      settings: { agentRetriesMax: 1 },
      files: FILES,
      tell: (role): Told | undefined => {
        if (role !== 'explore') return undefined
        sent++
        return sent === 1 ? { fails: 'lost its connection' } : { findings: [LOGIN], ...ANSWERED }
      },
    })
    expect(eventsOf('work.failed').map(({ data }) => data.key)).toEqual(['1/explore/0'])
    expect(eventsOf('work.finished').map(({ data }) => data.key)).toContain('1/explore.retry1/0')
    expect(eventsOf('convergence.measured')).toHaveLength(1)
    expect(eventsOf('convergence.measured')[0]?.data).toMatchObject({ status: 'FULL', agentFailures: [] })
  })
})

describe('what a newcomer may get wrong', () => {
  it('RES-93 a setting or a role that does not exist is an error with the nearest name', () => {
    expect(wrong({ coverag: 1 })).toThrow('researchLoop has no option "coverag"; did you mean')
    expect(wrong({ criteria: { coverag: { threshold: 1 } } })).toThrow(
      'criteria has no option "coverag"; did you mean "coverage"?',
    )
    expect(wrong({ gaps: { coverage_gap: { enable: false } } })).toThrow(
      'gaps.coverage_gap has no option "enable"; did you mean "enabled"?',
    )
    const { spec } = researchLoop({ goal: 'x', roles: { license: { name: 'L' } }, conflicts: { cosineMax: 0.7 } })
    expect(() => requirePlayers(spec, ['citaton'])).toThrow('did you mean "citation"?')
    expect(() => requirePlayers(spec, ['fast', 'deep:security', 'judge', 'license'])).not.toThrow()
    expect(() => requirePlayers(spec, ['coder_a'], { isShared: true })).not.toThrow()
    expect(() => requirePlayers(spec, ['coder_a'])).toThrow('there are fast, deep')
    expect(() => checkedRunId(undefined as never)).toThrow('A run needs a name, by which it is resumed')
  })

  it('RES-94 what is said of production and of development is no pair to review; a value keeps its unit as it was said', () => {
    const { state, eventsOf } = playResearch({
      files: FILES,
      tell: (role) => {
        if (role === 'explore')
          return {
            findings: [
              found('The session cookie lives for 30 minutes in production', ['src/session.ts:1:export const session']),
              found('Sessions end', ['src/session.ts:1:export const session'], { claims: claim('30', 'minutes') }),
            ],
          }
        return {
          findings: [
            found('The session cookie lives for 90 minutes in development', ['src/session.ts:1:export const session']),
            found('Sessions last', ['src/login.ts:1:export const login'], { claims: claim('2', 'hours') }),
          ],
        }
      },
    })
    expect(eventsOf('conflict.nominated')).toEqual([])
    expect(state.slices?.research?.conflicts[0]?.sides.map(({ value }) => value)).toEqual(['30 minutes', '2 hours'])
  })

  it('RES-95 a place that several agents cite is shown once, with all of them', () => {
    const { state } = playResearch({ files: FILES, tell: () => ({ findings: [LOGIN], ...ANSWERED }) })
    const report = markdownReport(researchResult(state))
    expect(report.match(/`src\/login\.ts:1`: /g)).toHaveLength(1)
    expect(report).toContain('`src/login.ts:1`: `export const login` (explore, citation, pattern)')
  })

  it('RES-96 no strategy does more iterations than the cap, and one that does fewer keeps to its own', () => {
    expect(maximum({ strategy: 'narrow', iterationsCap: 4 })).toBe(2)
    expect(maximum({ strategy: 'comprehensive', iterationsCap: 3 })).toBe(3)
  })
})
