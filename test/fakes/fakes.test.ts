import { describe, expect, it, onTestFailed } from 'vitest'
import { attempt, isInstalled } from './attempt.ts'
import { FAKES } from './fakes.ts'
import { HOOK_FAKES, KEPT, RALPH_FAKES } from './promise-fakes.ts'
import { MCP_FAKES } from './mcp-fakes.ts'
import { REVIEW_FAKES } from './review-fakes.ts'

const TABLES = {
  'a pass is not believed': FAKES,
  'an item of a review is not believed': REVIEW_FAKES,
  'a promise to Ralph is not believed': RALPH_FAKES,
  'a promise to a hook is not believed': HOOK_FAKES,
  'a pass over MCP is not believed': MCP_FAKES,
}

for (const [table, kinds] of Object.entries(TABLES))
  for (const [name, fakes] of Object.entries(kinds))
    describe(`FAKE ${table}: ${name}`, () => {
      for (const [how, project, work, { believed, ...options } = {}] of fakes)
        it.skipIf(!isInstalled(project))(`${how} (${project.check})`, async () => {
          const outcome = await attempt(project, work, options)
          onTestFailed(() => console.error(outcome.message))
          // A check that fails anyway says nothing about the proof. Elsewhere a reviewer or a floor may come first.
          expect(outcome.hasPassed || kinds !== FAKES).toBe(true)
          expect(outcome.status === 'completed').toBe(believed !== undefined)
        })
    })

it.each(KEPT)('FAKE a promise that the agent keeps is believed, %s', async (_where, [, project, work, options]) => {
  const outcome = await attempt(project, work, options)
  onTestFailed(() => console.error(outcome.message))
  expect(outcome).toMatchObject({ status: 'completed', level: 'red-to-green' })
})
