import { expect, it } from 'vitest'
import { givenLoop } from '../../../test/support/given-loop.ts'
import { ladder, sameFailure, worthContinuing } from '../../guards/index.ts'
import { backtest, inSampleOf } from './backtest.ts'
import { factsOf } from './recorded-loop.ts'

const policies = [
  { name: 'warns', guards: [worthContinuing({ severity: 'warn' })] },
  { name: 'plain', guards: [sameFailure({ severity: 'trip' })] },
  { name: 'decides', guards: [sameFailure(), worthContinuing({ severity: 'trip' })] },
  { name: 'in two steps', guards: [ladder(worthContinuing({ severity: 'warn' }))] },
]

function inSampleIn(...datasets: readonly string[]): ReturnType<typeof inSampleOf> {
  const tried = backtest(policies)
  for (const dataset of datasets) tried.add(factsOf(givenLoop([{ passed: false }], { dataset })))
  return inSampleOf(policies, tried.rows())
}

it('BACK-49 says which policies may have learned from which of the datasets; one in which the learned guard only warns has not', () => {
  expect(inSampleIn('intercode', 'mine', 'ldb')).toEqual({
    policies: ['decides', 'in two steps'],
    datasets: ['intercode', 'ldb'],
  })
  expect(inSampleIn('mine')).toBeUndefined()
})
