import { expect, it } from 'vitest'
import { isInstalled } from './attempt.ts'
import { fakesOf, tryFake } from './try-fakes.ts'

it.for(fakesOf(2))('%s', async (fake, { skip }) => {
  const [, [, project, , { believed } = {}]] = fake
  skip(!isInstalled(project))
  expect(await tryFake(fake)).toEqual({ isTried: true, isBelieved: believed !== undefined })
})
