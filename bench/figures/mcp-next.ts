import { atMost } from '../bound.ts'
import type { Figure } from '../figure.ts'
import { mcpRoundTrips } from '../mcp-round-trips.ts'
import { median } from '../median.ts'
import { withTemporaryFolder } from '../temporary-folder.ts'
import { milliseconds, spread } from '../wording.ts'

/** What an `iteration_next` may take. */
const ALLOWED_MS = 5

/** The share of the 5 ms that a client waits for `iteration_next`, from its request to the answer, with the durable writes. */
export const mcpNext: Figure = {
  name: 'mcp-next',
  bound: atMost(1),
  measure: async (say) => {
    say('a loop of 100 iterations through `pawl mcp`')
    const times = await withTemporaryFolder(mcpRoundTrips)
    const half = Math.floor(times.length / 2)
    const [early, late] = [times.slice(0, half), times.slice(half)].map(median) as [number, number]
    const details = [
      `\`iteration_next\` takes ${milliseconds(median(times))} from request to answer: ${milliseconds(early)} in the first half of a loop of 100, ${milliseconds(late)} in the second (medians).`,
      `The value is the median against ${ALLOWED_MS} ms; call by call it went from ${spread(times.map((time) => time / ALLOWED_MS))}.`,
    ]
    return { status: 'measured', value: median(times) / ALLOWED_MS, details }
  },
}
