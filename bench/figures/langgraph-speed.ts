import { atLeast } from '../bound.ts'
import type { Figure } from '../figure.ts'
import { langgraphComparison } from '../langgraph-comparison.ts'
import { milliseconds, spread } from '../wording.ts'

/** How much faster an iteration of ours is than one of LangGraph.js with its SQLite checkpoints, at 1,000 iterations of 1 KB. */
export const langgraphSpeed: Figure = {
  name: 'langgraph-speed',
  bound: atLeast(30),
  measure: async (say) => {
    const result = await langgraphComparison(say)
    if (result.status === 'unmeasured') return result
    const { pawl, pawlMs, langgraph, iterations, versions } = result
    const details = [
      `Over ${iterations} iterations of 1 KB: Pawl ${milliseconds(pawl.durationMs / iterations)} an iteration (median of ${pawlMs.length} runs, ${spread(pawlMs.map((each) => each / iterations))}), LangGraph ${milliseconds(langgraph.durationMs / iterations)} (one run).`,
      `${versions}; WAL and synchronous=NORMAL on both sides; the agent and the check are a node each, with a checkpoint after each; both warmed up for 5 s and under Node ${process.versions.node}.`,
    ]
    return { status: 'measured', value: langgraph.durationMs / pawl.durationMs, details }
  },
}
