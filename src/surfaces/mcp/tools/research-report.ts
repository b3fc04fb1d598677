import { builtInFolds } from '../../../loops/evolve.ts'
import { z } from 'zod'
import { PawlError } from '../../../core/pawl-error.ts'
import { checkpointOf, markdownReport, researchResult } from '../../../loops/research/index.ts'
import { loadState } from '../../../engine/session.ts'
import { anyMap, taskId } from '../iteration-config.ts'
import { tool } from '../tool.ts'

/** What research has come to so far, also of one that the command line drives. */
export const researchReport = tool({
  name: 'research_report',
  title: 'Report of research',
  description:
    'Shows what research has come to: a report in Markdown with every verified citation, the same as data, or a checkpoint.',
  isReadOnly: true,
  input: z.object({
    runId: taskId.describe('The name of the research.'),
    format: z.enum(['markdown', 'json', 'checkpoint']).default('markdown'),
  }),
  output: z.object({
    run: z.string(),
    status: z.enum(['not_converged', 'FULL', 'PARTIAL']),
    report: z.string().optional(),
    result: anyMap.optional(),
  }),
  call: async ({ runId: run, format }, { project }) => {
    const state = await loadState(project.store, run, builtInFolds)
    if (!state?.slices?.research)
      throw new PawlError('research.unknown', `There is no research ${run}: run_list names the runs there are.`)
    const result = researchResult(state)
    const { status } = result
    if (format === 'markdown') return { run, status, report: markdownReport(result) }
    return { run, status, result: { ...(format === 'json' ? result : checkpointOf(state)) } }
  },
})
