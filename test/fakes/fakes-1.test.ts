import { expect, it, onTestFailed } from 'vitest'
import { attempt, isInstalled } from './attempt.ts'
import { KEPT } from './promise-fakes.ts'
import { fakesOf, tryFake } from './try-fakes.ts'

it.for(fakesOf(0))('%s', async (fake, { skip }) => {
  const [, [, project, , { believed } = {}]] = fake
  skip(!isInstalled(project))
  expect(await tryFake(fake)).toEqual({ isTried: true, isBelieved: believed !== undefined })
})

it.each(KEPT)('FAKE a promise that the agent keeps is believed, %s', async (_where, [, project, work, options]) => {
  const outcome = await attempt(project, work, options)
  onTestFailed(() => console.error(outcome.message))
  expect(outcome).toMatchObject({ status: 'completed', level: 'red-to-green' })
})
