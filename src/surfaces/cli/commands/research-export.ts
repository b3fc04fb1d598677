import type { Event } from '../../../core/event.ts'
import { evolveAll } from '../../../loops/evolve.ts'
import { PawlError } from '../../../core/pawl-error.ts'
import { checkpointOf, convergenceChart, markdownReport, researchResult } from '../../../loops/research/index.ts'

/** What only runs of research can be handed out as: a report to read, the same as data, a chart, a checkpoint in the seed's shape. */
export const RESEARCH_FORMATS = ['report', 'report-json', 'chart', 'checkpoint'] as const

type ResearchFormat = (typeof RESEARCH_FORMATS)[number]

/** Whether a format is one of them. */
export function isResearchFormat(format: string): format is ResearchFormat {
  return (RESEARCH_FORMATS as readonly string[]).includes(format)
}

/** The lines of it. */
export function researchExport(events: readonly Event[], format: ResearchFormat): readonly string[] {
  const state = evolveAll(undefined, events)
  if (!state?.slices?.research)
    throw new PawlError(
      'usage.format',
      `The format "${format}" is for runs of research: use markdown, json or jsonl for this one.`,
      {
        value: format,
      },
    )
  if (format === 'checkpoint') return [JSON.stringify(checkpointOf(state))]
  const result = researchResult(state)
  if (format === 'report-json') return [JSON.stringify(result)]
  const text = format === 'chart' ? convergenceChart(result.convergences) : markdownReport(result)
  return text.trimEnd().split('\n')
}
