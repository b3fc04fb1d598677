import { describe, expect, it, onTestFailed } from 'vitest'
import { attempt, isInstalled } from './attempt.ts'
import { FAKES } from './fakes.ts'

for (const [name, fakes] of Object.entries(FAKES))
  describe(`FAKE a pass is not believed: ${name}`, () => {
    for (const [how, project, work, { believed, ...options } = {}] of fakes)
      it.skipIf(!isInstalled(project))(`${how} (${project.check})`, async () => {
        const outcome = await attempt(project, work, options)
        onTestFailed(() => console.error(outcome.message))
        expect(outcome.status === 'completed').toBe(believed !== undefined)
      })
  })
