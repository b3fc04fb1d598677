import { builtInFolds } from '../../../loops/evolve.ts'
import type { TextRef } from '../../../core/event-data.ts'
import { checkedRunId } from '../../../core/run-id.ts'
import { keepVisible } from '../../../secrets/known-values.ts'
import { redactJson } from '../../../secrets/filter.ts'
import { textRef } from '../../../journal/text-ref.ts'
import type { CheckDocument } from '../../../loops/task/iteration-check/check-document.ts'
import type { DecisionDocument } from '../../../loops/task/iteration-check/decision-document.ts'
import { judgeAttempt } from '../../../loops/task/iteration-check/judge-attempt.ts'
import { passingAttempts } from '../../../loops/task/iteration-check/passing-attempts.ts'
import type { Store } from '../../../stores/store.ts'
import { BoundedOutput } from '../../../process/output.ts'
import { machineProcesses } from '../../../process/processes.ts'
import { type Session, withSession } from '../../../engine/session.ts'
import { readTestOutput } from '../../../registry/test-output.ts'

/** Says what follows from an attempt, and remembers it for those after it. */
export type Attempts = (document: CheckDocument) => Promise<DecisionDocument>

/** Attempts that are forgotten with the process. A task that proceeded begins anew. */
export function forgottenAttempts(): Attempts {
  const decide = passingAttempts(readTestOutput, textRef)
  return async (document) => decide(document, Date.now())
}

/** Attempts at one task that are kept as a run, for as long as `use` takes. Throws `run.held` while another process writes to it. */
export async function withKeptAttempts<Result>(
  store: Store,
  name: string,
  use: (attempts: Attempts) => Promise<Result>,
): Promise<Result> {
  const run = checkedRunId(name)
  return withSession({ store, processes: machineProcesses, folds: builtInFolds }, run, (session) =>
    use((document) => keptAttempt(store, session, document)),
  )
}

/** Facts and conclusions are durable together before the decision is reported. */
async function keptAttempt(store: Store, session: Session, given: CheckDocument): Promise<DecisionDocument> {
  const { run } = session
  // Without attempts so far this is where the run begins.
  keepVisible(run)
  const document = await redactJson(given)
  const { test_result, diff } = document.iteration_check
  const refs = { ...named('output', await kept(store, test_result.output)), ...named('diff', await kept(store, diff)) }
  let decision: DecisionDocument | undefined
  await session.catchUp()
  await session.record((state) => {
    const judged = judgeAttempt(run, state, { document, at: Date.now(), ...refs }, readTestOutput)
    ;({ decision } = judged)
    return judged.append
  })
  return decision as unknown as DecisionDocument
}

/** As much of a text as a journal should keep: its beginning and its end. */
const TEXT_BYTES_MAX = 512 * 1024

async function kept(store: Store, text: string | null | undefined): Promise<TextRef | undefined> {
  if (!text) return undefined
  const output = new BoundedOutput(TEXT_BYTES_MAX)
  output.push(Buffer.from(text))
  return store.putText(output.captured())
}

function named<Name extends string>(name: Name, ref: TextRef | undefined): { readonly [Each in Name]?: TextRef } {
  return ref === undefined ? {} : ({ [name]: ref } as { readonly [Each in Name]: TextRef })
}
