import { atLeast } from '../bound.ts'
import type { Figure } from '../figure.ts'
import { langgraphComparison } from '../langgraph-comparison.ts'
import { mebibytes } from '../wording.ts'

/** How much smaller our closed database is than that of LangGraph.js after the same 1,000 iterations of 1 KB. */
export const langgraphSize: Figure = {
  name: 'langgraph-size',
  bound: atLeast(100),
  measure: async (say) => {
    const result = await langgraphComparison(say)
    if (result.status === 'unmeasured') return result
    const { pawl, langgraph, iterations } = result
    const details = [
      `After ${iterations} iterations of 1 KB and closing: Pawl ${mebibytes(pawl.bytes)}, LangGraph ${mebibytes(langgraph.bytes)}.`,
    ]
    return { status: 'measured', value: langgraph.bytes / pawl.bytes, details }
  },
}
