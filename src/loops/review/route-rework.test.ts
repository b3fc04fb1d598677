import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type ReworkCase, routeRework } from './route-rework.ts'

type Row = [rule: string, given: ReworkCase, route: string]

const rework = (reworkCycle: number, similarity?: number, limits?: ReworkCase['limits']): ReworkCase => ({
  verdict: 'rework',
  reworkCycle,
  similarity,
  ...(limits ? { limits } : {}),
})

describe('the route after a review', () => {
  it.each<Row>([
    ['REVIEW-1 an approval goes on, whatever the rest says', { verdict: 'approve', reworkCycle: 9, similarity: 1 }, 'APPROVE'],
    ['REVIEW-2 the first rework goes to the coder', rework(1), 'CODING'],
    ['REVIEW-2 the first rework goes to the coder, however alike', rework(1, 1), 'CODING'],
    ['REVIEW-3 the second goes to the tester first', rework(2, 0.5), 'REWORK_VIA_TESTER'],
    ['REVIEW-3 the second goes to the tester first when nothing can be compared', rework(2), 'REWORK_VIA_TESTER'],
    ['REVIEW-4 the second converges from 0.97 on', rework(2, 0.97), 'ESCALATE_CONVERGENCE'],
    ['REVIEW-4 the second does not converge below 0.97', rework(2, 0.9699999), 'REWORK_VIA_TESTER'],
    ['REVIEW-5 an unknown likeness never converges', rework(2, undefined, { similarityMin: 0.01 }), 'REWORK_VIA_TESTER'],
    ['REVIEW-5 a likeness that is no number never converges', rework(2, Number.NaN), 'REWORK_VIA_TESTER'],
    ['REVIEW-6 the ceiling of 3 goes before convergence', rework(3, 1), 'ESCALATE_TESTING'],
    ['REVIEW-6 above the ceiling it stays so', rework(7), 'ESCALATE_TESTING'],
    ['REVIEW-7 the ceiling can be set', rework(3, 0.1, { reworkCyclesMax: 5 }), 'REWORK_VIA_TESTER'],
    ['REVIEW-7 a ceiling of 1 has the tester decide at once', rework(1, 1, { reworkCyclesMax: 1 }), 'ESCALATE_TESTING'],
    ['REVIEW-7 the threshold can be set', rework(2, 0.6, { similarityMin: 0.6 }), 'ESCALATE_CONVERGENCE'],
    [
      'REVIEW-7 the least number of cycles can be set',
      rework(3, 1, { convergenceCyclesMin: 4, reworkCyclesMax: 9 }),
      'REWORK_VIA_TESTER',
    ],
    ['REVIEW-7 convergence may count from the first cycle', rework(1, 1, { convergenceCyclesMin: 1 }), 'ESCALATE_CONVERGENCE'],
  ])('%s', (_rule, given, route) => {
    expect(routeRework(given)).toBe(route)
  })

  it('REVIEW-8 every case has exactly one route, and only rework at the ceiling, alike or repeated leaves the coder', () => {
    const cases = fc.record({
      verdict: fc.constantFrom('approve' as const, 'rework' as const),
      reworkCycle: fc.nat(12),
      similarity: fc.option(fc.double({ min: 0, max: 1 }), { nil: undefined }),
      limits: fc.record(
        { reworkCyclesMax: fc.integer({ min: 1, max: 8 }), similarityMin: fc.double({ min: 0.01, max: 1, noNaN: true }) },
        { requiredKeys: [] },
      ),
    })
    fc.assert(
      fc.property(cases, (given) => {
        const route = routeRework(given)
        const { verdict, reworkCycle, similarity, limits } = given
        const isAlike = similarity !== undefined && similarity >= (limits.similarityMin ?? 0.97)
        const expected =
          verdict === 'approve'
            ? 'APPROVE'
            : reworkCycle >= (limits.reworkCyclesMax ?? 3)
              ? 'ESCALATE_TESTING'
              : reworkCycle < 2
                ? 'CODING'
                : isAlike
                  ? 'ESCALATE_CONVERGENCE'
                  : 'REWORK_VIA_TESTER'
        expect(route).toBe(expected)
      }),
      { numRuns: 500 },
    )
  })
})

it('REVIEW-111 a verdict that is neither approve nor rework is refused', () => {
  expect(() => routeRework({ verdict: 'APPROVE' as never, reworkCycle: 1 })).toThrow('approve or rework, not APPROVE')
})
