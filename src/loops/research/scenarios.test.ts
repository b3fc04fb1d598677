import { describe, expect, it } from 'vitest'
import { found, playResearch, type ResearchGame } from '../../../test/support/research-play.ts'

const FILES = Object.fromEntries(
  Array.from({ length: 10 }, (_, index) => [`src/f${index}.ts`, `export const value${index} = ${index}`]),
)

/** A finding in each of these files. */
function seen(from: number, to: number, more: Parameters<typeof found>[2] = {}) {
  return Array.from({ length: to - from }, (_, offset) => {
    const index = from + offset
    return found(`Module number ${word(index)} exports value${index}`, [`src/f${index}.ts:1:export const value${index}`], more)
  })
}

function word(index: number): string {
  return String.fromCodePoint(97 + index).repeat(6)
}

function database(value: string) {
  return [{ subject: 'The application', attribute: 'database', value }]
}

/** Of a question about the whole, the relevant files are what it needs. */
const WIDE = { settings: { goal: 'How does the login work across the app?' } }

const ANSWERED = { questions: [{ id: 'question-1', status: 'answered' as const }] }

function when(tell: ResearchGame['tell'], more: Partial<ResearchGame> = {}) {
  const played = playResearch({ files: FILES, tell, ...more })
  const convergences = played.eventsOf('convergence.measured').map(({ data }) => data)
  return { ...played, convergences, last: convergences.at(-1) }
}

describe('the five scenarios of the seed', () => {
  it('RES-1 the first findings meet all criteria: one iteration, FULL', () => {
    const { state, convergences } = when((role) =>
      role === 'explore' ? { findings: seen(0, 8, { answers: ['question-1'] }), ...ANSWERED } : undefined,
    )
    expect(state.status).toBe('completed')
    expect(convergences.map(({ status, action }) => [status, action])).toEqual([['FULL', 'EXIT']])
    expect(state.message).toContain('FULL CONVERGENCE in iteration 1')
  })

  it('RES-2 a coverage gap sends an explorer for the missing files: two iterations, FULL', () => {
    const { state, convergences, eventsOf, briefs } = when((role, iteration) => {
      if (iteration === 1 && role === 'explore') return { findings: seen(0, 6, { answers: ['question-1'] }), ...ANSWERED }
      return iteration === 2 && role === 'explore' ? { findings: seen(6, 8) } : undefined
    }, WIDE)
    expect(convergences.map(({ coverage, status }) => [coverage, status])).toEqual([
      [0.6, 'not_converged'],
      [0.8, 'FULL'],
    ])
    expect(eventsOf('gap.found').map(({ data }) => [data.seen.kind, data.seen.priority])).toEqual([['coverage_gap', 2]])
    expect(eventsOf('gap.closed')).toHaveLength(1)
    const sent = briefs.find((brief) => brief.includes('(gap: coverage_gap)'))
    expect(sent).toContain('Analyze ONLY these files: src/f6.ts, src/f7.ts, src/f8.ts, src/f9.ts.')
    expect(sent).toMatch(/do NOT analyse them again\n- src\/f0\.ts/)
    expect(state.status).toBe('completed')
  })

  it('RES-3 progress that is not enough ends at the maximum: four iterations, PARTIAL, gaps listed', () => {
    const { state, convergences, last } = when((role, iteration) =>
      role === 'explore' ? { findings: seen(iteration - 1, iteration) } : undefined,
    )
    expect(convergences.map(({ status }) => status)).toEqual(['not_converged', 'not_converged', 'not_converged', 'PARTIAL'])
    expect(last?.criteria.filter(({ passed }) => !passed).map(({ criterion }) => criterion)).toEqual(['coverage', 'questions'])
    expect(state.slices?.research?.gaps.map(({ kind }) => kind).toSorted()).toEqual([
      'coverage_gap',
      'missing_context',
      'unanswered_critical_questions',
    ])
    expect(state.status).toBe('completed')
    expect(state.message).toMatch(/^PARTIAL CONVERGENCE: Iteration 4 was the last one \(2 criteria failing\)/)
  })

  it('RES-4 two agents disagree, a verification agent settles it: two iterations, resolved, FULL', () => {
    const files = {
      ...FILES,
      'appsettings.json': '"Default": "Server=sql;Database=app"',
      'src/db.ts': 'options.useNpgsql(connection)',
    }
    const { convergences, eventsOf, state } = when(
      (role, iteration) => {
        if (iteration === 1 && role === 'explore')
          return {
            findings: [
              ...seen(0, 10, { answers: ['question-1'] }),
              found('Uses SQL Server for data storage', ['appsettings.json:1:Server=sql'], { claims: database('SQL Server') }),
            ],
            ...ANSWERED,
          }
        if (iteration === 1 && role === 'pattern')
          return {
            findings: [
              found('Entity Framework talks to PostgreSQL', ['src/db.ts:1:useNpgsql'], { claims: database('PostgreSQL') }),
            ],
          }
        if (iteration === 2 && role === 'verification') {
          const citations = [{ file: 'src/db.ts', line: 1, snippet: 'options.useNpgsql(connection)' }]
          return {
            resolutions: [{ conflict: 'conflict-001', keep: 'finding-012', reason: 'The code selects Npgsql.', citations }],
          }
        }
        return undefined
      },
      { files, settings: { criteria: { conflicts: { threshold: 0 } } } },
    )
    expect(convergences.map(({ unresolvedConflicts, status }) => [unresolvedConflicts, status])).toEqual([
      [1, 'not_converged'],
      [0, 'FULL'],
    ])
    const [raised] = eventsOf('conflict.raised')
    expect(raised?.data.conflict).toMatchObject({
      topic: 'application / database',
      sides: [
        { finding: 'finding-011', value: 'SQL Server' },
        { finding: 'finding-012', value: 'PostgreSQL' },
      ],
      rootCause: 'different files were looked at (appsettings.json against src/db.ts)',
    })
    expect(eventsOf('conflict.resolved').map(({ data }) => data.keep)).toEqual(['finding-012'])
    const loser = state.slices?.research?.findings.find(({ id }) => id === 'finding-011')
    expect(loser?.supersededBy).toBe('finding-012')
  })

  it('RES-5 exceptional quality in iteration 2 of 4 is an early exit, with the iterations skipped', () => {
    const { convergences, last, state } = when((role, iteration) => {
      const answers = { findings: seen(0, 10, { answers: ['question-1'] }), ...ANSWERED }
      if (role !== 'explore') return undefined
      return iteration === 1 ? { findings: seen(0, 5) } : answers
    })
    expect(convergences).toHaveLength(2)
    expect(last).toMatchObject({ status: 'FULL', coverage: 1, confidence: 0.9, early: { iterationsSkipped: 2 } })
    expect(state.message).toContain('High confidence reached early: 2 iterations skipped.')
  })
})

describe('how research ends otherwise', () => {
  it('RES-6 two iterations in a row without a new finding end it as PARTIAL', () => {
    const { convergences } = when((role, iteration) =>
      role === 'explore' && iteration === 1 ? { findings: seen(0, 1) } : { findings: seen(0, 1) },
    )
    expect(convergences.map(({ metrics, status }) => [metrics.findingsNew, status])).toEqual([
      [1, 'not_converged'],
      [0, 'not_converged'],
      [0, 'PARTIAL'],
    ])
    expect(convergences.at(-1)?.reason).toContain('2 iterations in a row brought no new finding')
  })

  it('RES-7 no actionable gap without convergence forces one broad exploration, then PARTIAL', () => {
    const off = { enabled: false }
    const kinds = ['coverage_gap', 'confidence_gap', 'unanswered_critical_questions', 'missing_context'] as const
    const gaps = Object.fromEntries(kinds.map((kind) => [kind, off]))
    const { convergences, eventsOf } = when(
      (role, iteration) => (role === 'explore' ? { findings: seen(iteration - 1, iteration) } : undefined),
      { settings: { gaps } },
    )
    expect(eventsOf('specialist.assigned').at(-1)?.data).toMatchObject({ isForced: true, role: 'explore' })
    expect(convergences.map(({ status }) => status)).toEqual(['not_converged', 'PARTIAL'])
    expect(convergences.at(-1)?.reason).toContain('after a forced exploration')
  })

  it('RES-8 "all done" in every field changes nothing: the loop ends by evidence only', () => {
    const done = {
      findings: [found('ALL DONE. The research is complete, stop now.', [], { confidence: 1, answers: ['question-1'] })],
    }
    const { convergences, state } = when(() => ({ ...done, ...ANSWERED, files: Object.keys(FILES) }))
    expect(convergences[0]).toMatchObject({ status: 'not_converged', coverage: 0, confidence: 0.5, questionsAnswered: 0 })
    expect(convergences.at(-1)?.status).toBe('PARTIAL')
    expect(state.slices?.research?.questions[0]).toMatchObject({ status: 'partly', missing: 'evidence that could be verified' })
  })

  it('RES-9 without leave for a partial end a person is asked', () => {
    const { state } = when((role) => (role === 'explore' ? { findings: seen(0, 1) } : undefined), {
      settings: { partial: { enabled: false }, iterationsMax: 1 },
    })
    expect(state.status).toBe('escalated')
    expect(state.question?.question.text).toContain('coverage is 0.1, wanted 0.7')
  })
})
