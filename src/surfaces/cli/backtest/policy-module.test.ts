import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { factsOf } from '../../../evidence/backtest/recorded-loop.ts'
import { replay } from '../../../evidence/backtest/replay.ts'
import { givenLoop } from '../../../../test/support/given-loop.ts'
import { isPolicyModule, policiesInModule } from './policy-file.ts'

let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-policies-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function module(name: string, text: string): string {
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}

function policy(inspect: string): string {
  return `{ name: 'mine', guards: [{ spec: { name: 'never', v: 1, severity: 'trip', settings: {} }, inspect: ${inspect} }] }`
}

it('BACK-48 takes policies under any name, alone or in lists, each once', async () => {
  const path = module(
    'some.mjs',
    `const one = ${policy('() => []')}\nexport default one\nexport const all = [one, { ...one, name: 'b' }]\nexport const other = 7\n`,
  )
  expect((await policiesInModule(path)).map(({ name }) => name)).toEqual(['mine', 'b'])
  expect(['a.mjs', 'a.ts', 'a.cjs', 'a.yaml', 'a.json'].map(isPolicyModule)).toEqual([true, true, true, false, false])
})

it('BACK-48 for a module that cannot be loaded, or exports none, the error says what to export', async () => {
  const none = module('none.mjs', 'export const policy = { name: "x", guards: [{}] }\n')
  await expect(policiesInModule(none)).rejects.toThrow(`${none} exports no policy: export { name: 'mine', guards: [...] }`)
  const broken = module('broken.mjs', 'throw new Error("no luck")\n')
  await expect(policiesInModule(broken)).rejects.toMatchObject({
    code: 'config.policy-module',
    message: `${broken} could not be loaded: no luck`,
  })
})

it.each([
  [
    'unlisted.mjs',
    '() => undefined',
    /^A guard of .*unlisted\.mjs, never, must return a list of trips, empty when all is well\.$/,
  ],
  ['failing.mjs', '(state) => state.nothing.here', /^A guard of .*failing\.mjs, never, failed: Cannot read properties/],
])('BACK-48 an error in a guard is reported as its own: %s', async (name, inspect, problem) => {
  const policies = await policiesInModule(module(name, `export default ${policy(inspect)}\n`))
  expect(() => replay(factsOf(givenLoop([{ passed: false }])), policies)).toThrow(problem)
})
