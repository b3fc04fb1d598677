import { expect, it } from 'vitest'
import { defaultGuards, maxIterations } from '../../guards/index.ts'
import { oddsOf } from '../../guards/odds/odds.ts'
import { found, playResearch } from '../../../test/support/research-play.ts'

it('ODDS-31 research that finds something new in every iteration hears nothing from the guards that run out of the box', () => {
  const numbers = Array.from({ length: 30 }, (_, index) => index)
  const played = playResearch({
    files: Object.fromEntries(numbers.map((index) => [`src/login${index}.ts`, `export function login${index}(user) {}`])),
    guards: [maxIterations(8), ...defaultGuards().filter(({ spec }) => spec.name !== 'maxIterations')],
    settings: { iterationsMax: 8 },
    tell: (role, iteration) => ({
      findings:
        role === 'explore' || iteration > 1
          ? [found(`Part ${role} ${iteration} of the login`, [`src/login${iteration}.ts:1:export function login${iteration}`])]
          : [],
    }),
  })
  expect(played.eventsOf('iteration.ended').length).toBeGreaterThan(4)
  expect(played.eventsOf('guard.nudged')).toEqual([])
  expect(played.eventsOf('guard.tripped').map(({ data }) => data.guard)).toEqual(['maxIterations'])
  expect(oddsOf(played.state)).toBeUndefined()
})
