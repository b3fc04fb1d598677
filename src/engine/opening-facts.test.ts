import { expect, it } from 'vitest'
import { configOf } from '../testing/state-builder.ts'
import { differenceOf } from './opening-facts.ts'

const part = (name: string) => ({ name, v: 1, settings: {} })

it('RUN-306 another agent for a role, and another way to read the code, are recorded changes of the configuration', () => {
  const config = { ...configOf([]), roles: { coder_a: part('claude') }, codebase: part('folder') }
  expect(differenceOf(config, { ...config })).toBeUndefined()
  expect(differenceOf(config, { ...config, roles: { coder_a: part('codex') } })).toBe('Changed: roles.')
  expect(differenceOf(config, { ...config, codebase: part('other') })).toBe('Changed: codebase.')
})
