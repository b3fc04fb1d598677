import type { AgentHeap } from '../agent-heap.ts'
import { atMost } from '../bound.ts'
import { childProgram } from '../child-program.ts'
import type { Figure } from '../figure.ts'
import { mebibytes } from '../wording.ts'

const ITERATIONS = 5
const BYTES_MAX = 60 * 1024 * 1024

/** How much the process that drives an agent grows over its iterations, against 60 MiB. */
export const agentMemory: Figure = {
  name: 'agent-memory',
  bound: atMost(1),
  measure: async (say) => {
    say(`${ITERATIONS} iterations with an agent, in a process of its own`)
    const { title, beforeBytes, peakBytes } = (await childProgram('agent-heap.ts', [String(ITERATIONS)])) as AgentHeap
    const details = [
      `With ${title}: ${mebibytes(beforeBytes)} before the first of ${ITERATIONS} iterations, at most ${mebibytes(peakBytes)} in the end, the scripted model among it.`,
    ]
    return { status: 'measured', value: (peakBytes - beforeBytes) / BYTES_MAX, details }
  },
}
