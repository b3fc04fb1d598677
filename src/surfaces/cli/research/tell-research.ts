import { builtInFolds } from '../../../loops/evolve.ts'
import { counted } from '../../../core/wording.ts'
import { researchResult } from '../../../loops/research/index.ts'
import type { Store } from '../../../stores/store.ts'
import { loadState } from '../../../engine/session.ts'
import type { CliContext } from '../cli-context.ts'
import { answerLines } from '../../../present/research-answers.ts'

/** The answers in short once a run of research stands, and where the whole is. Says nothing of other runs, and nothing as JSON. */
export async function tellResearch({ terminal, isJson }: CliContext, store: Store, run: string): Promise<void> {
  const state = isJson ? undefined : await loadState(store, run, builtInFolds)
  if (!state?.slices?.research || state.config.loop.name !== 'research') return
  const result = researchResult(state)
  for (const line of answerLines(result, terminal)) terminal.say(line)
  terminal.say(terminal.paint('dim', `All ${counted(result.findings.length, 'finding')}: pawl export ${run} --format report`))
}
