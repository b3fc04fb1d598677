import type { WorkResult } from './agent.ts'

/** The result with what has to be said besides. It comes first: what an agent said may be long. */
export function withRemark(result: WorkResult, remark: string): WorkResult {
  if (result.status === 'aborted') return result
  if (result.status !== 'finished') return { ...result, message: `${remark}\n${result.message}` }
  return { ...result, summary: result.summary === undefined ? remark : `${remark}\n${result.summary}` }
}
