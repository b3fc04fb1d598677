import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { PawlError } from '../core/pawl-error.ts'

/** How Pawl's own small agent is started: with the Node that runs now, from the bundle beside this one, or from its source. */
export function tinkerCommand(): readonly string[] {
  const places = (import.meta.url.endsWith('.ts') ? FROM_SOURCE : FROM_BUNDLE).map((place) =>
    fileURLToPath(new URL(place, import.meta.url)),
  )
  const found = places.find((place) => existsSync(place))
  if (found !== undefined) return [process.execPath, found]
  throw new PawlError(
    'agent.tinker-missing',
    `Pawl's own agent tinker is not at ${places[0]}: install Pawl anew, or build it with \`npm start\`.`,
    { value: places },
  )
}

const FROM_SOURCE = ['../tinker/main.ts']

/** The bundler may put this code into a chunk in a folder below. */
const FROM_BUNDLE = ['./tinker.mjs', '../tinker.mjs']
