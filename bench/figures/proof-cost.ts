import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { commandCheck } from '../../src/checks/command-check.ts'
import { taskLoop } from '../../src/loops/task/index.ts'
import { memoryStore } from '../../src/stores/memory-store.ts'
import { createLoop } from '../../src/surfaces/library/create-loop.ts'
import { gitWorkspace } from '../../src/workspaces/git-workspace.ts'
import { atMost } from '../bound.ts'
import type { Figure } from '../figure.ts'
import { generateRepository } from '../generated-repository.ts'
import { median } from '../median.ts'
import { withTemporaryFolder } from '../temporary-folder.ts'
import { milliseconds, spread } from '../wording.ts'

const FILES = 5_000
const ROUNDS = 5
const COST_MS_MAX = 300

/** What a proof costs above one more run of the check, as a share of 300 ms, with unchanged tests in a large repository. */
export const proofCost: Figure = {
  name: 'proof-cost',
  bound: atMost(1),
  measure: async (say) =>
    withTemporaryFolder(async (folder) => {
      say(`a proof in a repository of ${FILES} files, ${ROUNDS} times`)
      generateRepository(folder, FILES)
      const costs: number[] = []
      for (let round = 0; round < ROUNDS; round++) costs.push(await costOf(folder, `r${round}`))
      const told = `A proof took ${milliseconds(median(costs))} longer than the check in the workspace`
      return {
        status: 'measured',
        value: median(costs) / COST_MS_MAX,
        details: [`${told} (median of ${ROUNDS}), from ${spread(costs)}.`],
      }
    }),
}

/** How much longer the proof took than the check in the workspace did. */
async function costOf(folder: string, run: string): Promise<number> {
  const flag = join(folder, 'flag.js')
  writeFileSync(flag, 'open\n')
  const loop = createLoop({
    loop: taskLoop({ goal: 'The flag says done' }),
    agent: {
      spec: { name: 'scripted', v: 1, settings: {} },
      work: async (_request, context) => {
        await context.started()
        writeFileSync(flag, 'done\n')
        return { status: 'finished' }
      },
    },
    checks: [commandCheck({ name: 'flag', command: ['grep', '-q', 'done', 'flag.js'] })],
    workspace: gitWorkspace({ path: folder }),
    store: memoryStore(),
  })
  const { status } = await loop.run(run)
  if (status !== 'completed') throw new Error(`The run ended as ${status}.`)
  const events = await loop.events(run)
  const proof = events.find((event) => event.type === 'proof.made')
  const check = events.findLast((event) => event.type === 'check.passed')
  if (proof?.type !== 'proof.made' || check?.type !== 'check.passed') throw new Error('The run has no proof.')
  return proof.data.durationMs - check.data.durationMs
}
