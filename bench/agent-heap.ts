import { withTemporaryFolder } from './temporary-folder.ts'
import { drivenAgent } from './driven-agent.ts'
import { drivenIterations } from './driven-iterations.ts'

/** What the process that drives an agent takes, in bytes: the most it ever held, above what it held before the first iteration. */
export interface AgentHeap {
  readonly title: string
  readonly beforeBytes: number
  readonly peakBytes: number
}

const ITERATIONS = Number(process.argv[2])

await withTemporaryFolder(async (folder) => {
  await using agent = await drivenAgent(folder)
  const beforeBytes = process.memoryUsage().rss
  await drivenIterations(agent, folder, ITERATIONS)
  const peakBytes = process.resourceUsage().maxRSS * 1024
  const heap: AgentHeap = { title: agent.title, beforeBytes, peakBytes }
  process.stdout.write(JSON.stringify(heap))
})
