import { builtInFolds } from '../../../loops/evolve.ts'
import type { TextRef } from '../../../core/event-data.ts'
import { PawlError } from '../../../core/pawl-error.ts'
import { checkedRunId } from '../../../core/run-id.ts'
import { keepVisible } from '../../../secrets/known-values.ts'
import { redactJson } from '../../../secrets/filter.ts'
import { textRef } from '../../../journal/text-ref.ts'
import type { CheckDocument } from '../../../loops/task/iteration-check/check-document.ts'
import type { DecisionDocument } from '../../../loops/task/iteration-check/decision-document.ts'
import { judgeAttempt } from '../../../loops/task/iteration-check/judge-attempt.ts'
import { passingAttempts } from '../../../loops/task/iteration-check/passing-attempts.ts'
import type { Claim, Store } from '../../../stores/store.ts'
import { BoundedOutput } from '../../../process/output.ts'
import { machineProcesses } from '../../../process/processes.ts'
import { loadState } from '../../../engine/load-state.ts'
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
  const claimed = await store.claim(run, machineProcesses.self())
  if (claimed.status === 'held') throw held(run)
  try {
    return await use((document) => keptAttempt(store, claimed.claim, document))
  } finally {
    await store.release(claimed.claim)
  }
}

/** Facts and conclusions are durable together before the decision is told. */
async function keptAttempt(store: Store, claim: Claim, given: CheckDocument): Promise<DecisionDocument> {
  const { run } = claim
  // Without attempts so far this is where the run is begun.
  keepVisible(run)
  const document = await redactJson(given)
  const { test_result, diff } = document.iteration_check
  const refs = { ...named('output', await kept(store, test_result.output)), ...named('diff', await kept(store, diff)) }
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const state = await loadState(store, run, builtInFolds)
    const { append, decision } = judgeAttempt(run, state, { document, at: Date.now(), ...refs }, readTestOutput)
    const result = await store.append(run, append, { claim, expectedSeq: state?.seq ?? 0 })
    if (result.status === 'appended') return decision
    if (result.status === 'fenced') throw held(run)
  }
  throw new PawlError('store.refused', `Run ${run} did not take the attempt: others write to it all the time; try again.`)
}

const TRIES_MAX = 10

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

function held(run: string): PawlError {
  return new PawlError('run.held', `Another process writes to run ${run}: wait for it, or choose another name.`, { value: run })
}
