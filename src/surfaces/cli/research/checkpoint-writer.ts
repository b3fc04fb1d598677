import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Event } from '../../../core/event.ts'
import { evolve } from '../../../loops/evolve.ts'
import type { State } from '../../../core/state.ts'
import { checkpointOf } from '../../../loops/research/index.ts'
import { checkpointName } from './checkpoint-folder.ts'

/**
 * Writes a checkpoint in the seed's shape after every iteration, into a folder that is there. The journal has it all anyway: a file that
 * cannot be written is a warning, and the research goes on.
 */
export function checkpointWriter(folder: string, known: State | undefined, warn: (line: string) => void): (event: Event) => void {
  let state = known
  return (event) => {
    state = evolve(state, event)
    if (event.type !== 'convergence.measured') return
    const path = join(folder, checkpointName(state.run, event.data.iteration))
    try {
      writeFileSync(`${path}.new`, `${JSON.stringify(checkpointOf(state), undefined, 2)}\n`)
      renameSync(`${path}.new`, path)
    } catch (error) {
      warn(`The checkpoint ${path} could not be written, and the research goes on: ${(error as Error).message}`)
    }
  }
}
