import { expect, test } from 'vitest'
import { guardNames } from '../../settings/configured-guards.ts'
import { guardName } from './guard-name.ts'

test.each([...guardNames, 'maxIterations', 'budget'])('CLI-380 %s may be named as in pawl.yaml', (name) => {
  const inFile = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  expect(guardName(inFile)).toBe(name)
  expect(guardName(name)).toBe(name)
})

test('CLI-380 the name of a guard of a program stays as it is', () => {
  expect(guardName('my_own_guard')).toBe('my_own_guard')
})
