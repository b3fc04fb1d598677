import { builtInFolds } from '../../../loops/evolve.ts'
import type { TextRef } from '../../../core/event-data.ts'
import { checkedRunId } from '../../../core/names.ts'
import { keepVisible } from '../../../secrets/known-values.ts'
import { redactJson } from '../../../secrets/filter.ts'
import { textRef } from '../../../journal/text-refs.ts'
import { judgeAttempt, passingAttempts } from '../../../loops/task/iteration-check/judge-attempt.ts'
import type { Store } from '../../../stores/store.ts'
import { BoundedOutput } from '../../../process/output.ts'
import { machineProcesses } from '../../../process/processes.ts'
import { type Session, withSession } from '../../../engine/session.ts'
import { readTestOutput } from '../../../registry/test-output.ts'
import type { Readable } from 'node:stream'
import { stringify } from 'yaml'
import { PawlError } from '../../../core/pawl-error.ts'
import type { CheckDocument } from '../../../loops/task/iteration-check/check-document.ts'
import type { DecisionDocument } from '../../../loops/task/iteration-check/decision-document.ts'
import { type CliContext, withStore } from '../cli-context.ts'
import { shortPath, textFile, utf8Text } from '../../../settings/text-file.ts'
import { type PlacedDocument, readDocuments } from '../documents.ts'
import { EXIT } from '../exit-codes.ts'
import { isInRepository } from '../../../settings/find-project.ts'

export interface CheckFlags {
  /** Keep the attempts as this run. */
  readonly run?: string
  /** Tell the last decision by the exit code. */
  readonly exitCode?: boolean
}

/**
 * Reads `iteration_check` documents from a file, or from standard input, and prints a `decision` document for each. What is wrong
 * with a document is one error, after the answers to those before it.
 */
export async function check(
  context: CliContext,
  flags: CheckFlags,
  file?: string,
  input: Readable & { readonly isTTY?: boolean } = process.stdin,
): Promise<number> {
  const isInput = file === undefined || file === '-'
  const name = isInput ? 'standard input' : shortPath(file)
  const { documents, problem } = readDocuments(isInput ? await inputText(input) : await fileText(file), name)
  const answer = async (attempts: Attempts): Promise<number> => {
    let code: number = EXIT.done
    for (const [index, placed] of documents.entries()) {
      const isLast = index === documents.length - 1
      const decision = await decided(attempts, {
        ...placed,
        document: isLast ? await withDiff(context, placed) : placed.document,
      })
      print(context, decision, index)
      code = EXIT_CODES[decision.decision.action]
    }
    if (problem) throw problem
    return flags.exitCode === true ? code : EXIT.done
  }
  const { run } = flags
  if (run === undefined || documents.length === 0) return answer(forgottenAttempts())
  return withStore(context, (store) => withKeptAttempts(store, run, answer))
}

const EXIT_CODES: Readonly<Record<DecisionDocument['decision']['action'], number>> = {
  proceed: EXIT.done,
  retry: EXIT.retry,
  escalate: EXIT.waiting,
  wait: EXIT.waiting,
}

/** An attempt that can't follow those before it is reported with its place. */
async function decided(attempts: Attempts, { document, place }: PlacedDocument): Promise<DecisionDocument> {
  try {
    return await attempts(document)
  } catch (error) {
    if (!(error instanceof PawlError) || !error.code.startsWith('usage.')) throw error
    throw new PawlError(error.code, `${place}: ${error.message}`, { value: error.value, cause: error })
  }
}

function print({ terminal, isJson }: CliContext, decision: DecisionDocument, index: number): void {
  if (isJson) return terminal.json(decision)
  if (index > 0) terminal.say('---')
  for (const line of stringify(decision, { lineWidth: 0 }).trimEnd().split('\n')) terminal.say(line)
}

/** The newest attempt is what lies in the folder now, so its changes can be looked at. */
async function withDiff({ project, terminal }: CliContext, { document }: PlacedDocument): Promise<CheckDocument> {
  const { iteration_check, iteration_control } = document
  const { test_result, review_result, diff } = iteration_check
  const isFailed = test_result.status === 'fail' || review_result?.status === 'reject'
  const isWanted = typeof diff !== 'string' && isFailed && iteration_control?.escalation_includes_diff !== false
  if (!isWanted || !isInRepository(project.root)) return document
  const { workingDiff } = await import('../../../registry/workspace-tools.ts')
  try {
    const found = await workingDiff(project.root, DIFF_BYTES_MAX)
    return found === '' ? document : { ...document, iteration_check: { ...iteration_check, diff: found } }
  } catch (error) {
    if (!(error instanceof PawlError)) throw error
    terminal.warn(`The changes are left out: ${error.message}`)
    return document
  }
}

const DIFF_BYTES_MAX = 20 * 1024

async function fileText(file: string): Promise<string> {
  const text = await textFile(file)
  if (text !== undefined) return text
  throw new PawlError('usage.no-file', `There is no file ${file}: give one, or - for standard input.`, { value: file })
}

async function inputText(input: Readable & { readonly isTTY?: boolean }): Promise<string> {
  if (input.isTTY === true)
    throw new PawlError('usage.no-document', 'Which document? Give a file, or pipe one in: pawl check attempt.yaml')
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of input) {
    chunks.push(Buffer.from(chunk as Uint8Array))
    bytes += chunks.at(-1)?.length ?? 0
    if (bytes > INPUT_BYTES_MAX)
      throw new PawlError('usage.too-long', 'Standard input is longer than 64 MB: hand in fewer documents at a time.')
  }
  return utf8Text(Buffer.concat(chunks), 'standard input')
}

const INPUT_BYTES_MAX = 64 * 1024 * 1024

/** Says what follows from an attempt, and remembers it for those after it. */
type Attempts = (document: CheckDocument) => Promise<DecisionDocument>

/** Attempts that are forgotten with the process. A task that proceeded starts over. */
function forgottenAttempts(): Attempts {
  const decide = passingAttempts(readTestOutput, textRef)
  return async (document) => decide(document, Date.now())
}

/** Attempts at one task that are kept as a run, for as long as `use` takes. Throws `run.held` while another process writes to it. */
async function withKeptAttempts<Result>(
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
  const refs = { ...refAs('output', await kept(store, test_result.output)), ...refAs('diff', await kept(store, diff)) }
  let decision: DecisionDocument | undefined
  await session.catchUp()
  await session.record((state) => {
    const judged = judgeAttempt(run, state, { document, at: Date.now(), ...refs }, readTestOutput, { isKept: true })
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

function refAs<Name extends string>(name: Name, ref: TextRef | undefined): { readonly [Each in Name]?: TextRef } {
  return ref === undefined ? {} : ({ [name]: ref } as { readonly [Each in Name]: TextRef })
}
