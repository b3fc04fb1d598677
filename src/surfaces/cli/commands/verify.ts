import { type CliContext, withStore } from '../cli-context.ts'
import { EXIT } from '../exit-codes.ts'
import { verificationLines } from '../../../present/verification-lines.ts'
import { requireEvents, requireStore, withExistingStore } from '../stored-run.ts'
import { builtInFolds } from '../../../loops/evolve.ts'
import { hash } from 'node:crypto'
import type { TextRef } from '../../../core/event-data.ts'
import type { Seq, StoredEvent } from '../../../core/event.ts'
import { PawlError } from '../../../core/pawl-error.ts'
import { verifyChain } from '../../../journal/hash-chain.ts'
import { type NamedText, textRefsOf } from '../../../core/text-refs.ts'
import type { Snapshot, Store } from '../../../stores/store.ts'
import type { ResourceDescriptor } from '../../../present/provenance/run-statement.ts'
import { shortPath, textFile } from '../../../settings/text-file.ts'
import { attestationProblems, readAttestation } from './attestation.ts'
import type { Folds } from '../../../core/definition.ts'
import { evolveAllWith } from '../../../core/evolve.ts'
import { type State, STATE_VERSION } from '../../../core/state.ts'
import { canonical } from '../../../journal/canonical.ts'
import { upcast } from '../../../journal/upcast.ts'

/** Says whether a run's journal, and every text it refers to, is what was written. Without a run: all of them. Exit 1 when not. */
export async function verify(context: CliContext, run?: string): Promise<number> {
  const { terminal, isJson } = context
  const results = run === undefined ? await verifyAll(context) : [await verifyOne(context, run)]
  if (isJson) terminal.json(run === undefined ? results : results[0])
  else if (results.length === 0) terminal.say('There are no runs to verify.')
  else for (const result of results) for (const line of verificationLines(result, terminal)) terminal.say(line)
  return results.every(({ ok }) => ok) ? EXIT.done : EXIT.error
}

async function verifyOne(context: CliContext, run: string): Promise<Verification> {
  requireStore(context, run)
  return withStore(context, (store) => verifyRun(store, run, async () => requireEvents(store, run, await store.readStored(run))))
}

async function verifyAll(context: CliContext): Promise<readonly Verification[]> {
  const results = await withExistingStore(context, async (store) => {
    const found: Verification[] = []
    for (const { run } of await store.runs()) found.push(await verifyRun(store, run, () => store.readStored(run)))
    return found
  })
  return results ?? []
}

/** What checking one run came to. */
export interface Verification {
  readonly run: string
  readonly ok: boolean
  readonly events: number
  /** How many texts beside the journal its events refer to. */
  readonly texts: number
  /** The last event's hash: compare it with a copy kept elsewhere to see that nothing was cut off at the end. */
  readonly hash?: string
  readonly problems: readonly VerificationProblem[]
}

export interface VerificationProblem {
  /** The first event that is not what was written, or the one that refers to a bad text. */
  readonly seq?: Seq
  readonly message: string
}

/** Recomputes the hash chain over the events as stored, the hash of every text they refer to, and the state that is cached. */
export async function verifyRun(store: Store, run: string, read: () => Promise<readonly StoredEvent[]>): Promise<Verification> {
  let snapshot: Snapshot | undefined
  let events: readonly StoredEvent[]
  try {
    // Asked for before the events: whoever drives the run may cache a later state meanwhile.
    snapshot = await store.getSnapshot(run)
    events = await read()
  } catch (error) {
    return { run, ok: false, events: 0, texts: 0, problems: [{ message: damageIn(error) }] }
  }
  const chain = verifyChain(events, run)
  const refs = textRefs(events)
  const problems: VerificationProblem[] = chain.ok ? [] : [{ seq: chain.seq, message: chain.message }]
  const cached = chain.ok && snapshot ? wrongWithSnapshot(snapshot, events, builtInFolds) : undefined
  if (cached !== undefined) problems.push({ message: cached })
  for (const { seq, field, ref } of refs) {
    const wrong = await wrongWith(store, ref)
    if (wrong !== undefined) problems.push({ seq, message: `The ${field} of event ${seq} ${wrong}` })
  }
  return {
    run,
    ok: problems.length === 0,
    events: events.length,
    texts: refs.length,
    ...(chain.ok ? { hash: chain.hash } : {}),
    problems,
  }
}

interface Reference extends NamedText {
  readonly seq: Seq
}

/** Every text once, with the first event that refers to it. The draft of a checkpoint goes when that is dropped. */
function textRefs(events: readonly StoredEvent[]): readonly Reference[] {
  const dropped = new Set(events.filter(({ type }) => type === 'checkpoint.dropped').map(checkpointOf))
  const found = new Map<string, Reference>()
  for (const event of events) {
    if (event.type === 'checkpoint.created' && dropped.has(checkpointOf(event))) continue
    for (const { field, ref } of textRefsOf(event.data)) {
      if (!found.has(ref.sha256)) found.set(ref.sha256, { seq: event.seq, field, ref })
    }
  }
  return [...found.values()]
}

function checkpointOf({ data }: StoredEvent): unknown {
  return (data as { readonly checkpoint?: unknown } | undefined)?.checkpoint
}

async function wrongWith(store: Store, ref: TextRef): Promise<string | undefined> {
  try {
    const text = await store.getText(ref)
    if (text === undefined) return `is missing: there is no text ${ref.sha256}.`
    return hash('sha256', text) === ref.sha256 ? undefined : `was changed: the text ${ref.sha256} has another hash now.`
  } catch (error) {
    return `cannot be read: ${damageIn(error)}`
  }
}

/** Damage is what verifying is there to find; any other trouble is not an answer. */
function damageIn(error: unknown): string {
  if (error instanceof PawlError && (error.code === 'store.corrupt' || error.code.startsWith('journal.'))) return error.message
  throw error
}

/** What checking an attestation came to. */
interface Verified {
  readonly attestation: string
  readonly run: string
  readonly seq: number
  readonly ok: boolean
  readonly subject: readonly ResourceDescriptor[]
  readonly problems: readonly string[]
}

/** Says whether an attestation is what the journal of its run says, and whether that journal is whole. Exit 1 when not. */
export async function verifyAttestation(context: CliContext, file: string, run?: string): Promise<number> {
  const { terminal, isJson } = context
  const text = await textFile(file)
  const name = shortPath(file)
  if (text === undefined) throw new PawlError('usage.no-file', `There is no file ${name}.`, { value: file })
  const read = readAttestation(text, name)
  if (run !== undefined && run !== read.run)
    throw new PawlError('usage.attestation', `${name} is about run ${read.run}, not about ${run}.`, { value: run })
  requireStore(context, read.run)
  const problems = await withStore(context, async (store) => {
    const whole = await verifyRun(store, read.run, async () => requireEvents(store, read.run, await store.readStored(read.run)))
    const damage = whole.problems.map(({ message }) => message)
    return whole.events === 0 ? damage : [...damage, ...attestationProblems(read, await store.read(read.run))]
  })
  const { seq, statement } = read
  const result: Verified = {
    attestation: name,
    run: read.run,
    seq,
    ok: problems.length === 0,
    subject: statement.subject,
    problems,
  }
  if (isJson) terminal.json(result)
  else for (const line of linesOf(result, terminal)) terminal.say(line)
  return result.ok ? EXIT.done : EXIT.error
}

function linesOf(
  { attestation, run, seq, ok, subject, problems }: Verified,
  { paint }: CliContext['terminal'],
): readonly string[] {
  if (!ok) return [`${paint('red', 'BAD')}  ${attestation}`, ...problems.map((problem) => `     ${problem}`)]
  return [
    `${paint('green', 'ok')}   ${attestation}: says what the journal of run ${run} says up to event ${seq}, and that journal is whole`,
    ...subject.map(({ name, digest }) => `     ${name}: ${Object.entries(digest).flat().join(' ')}`),
  ]
}

/**
 * Says what is wrong with the cached state of a run whose events, as stored, are whole: it is not what was put, or not what the
 * events come to. One of another version is never used, and nothing is wrong with it. The slices of a loop that `folds` does
 * not have cannot be folded: such a cached state is not compared.
 */
export function wrongWithSnapshot(snapshot: Snapshot, events: readonly StoredEvent[], folds: Folds): string | undefined {
  if (snapshot.isDamaged) return sentence('is not what was written')
  if (snapshot.version !== STATE_VERSION) return undefined
  const { seq, state } = snapshot
  // Nothing is ever cached before its events are written, so they were cut off.
  if (seq > events.length) return sentence(`is that of event ${seq}, and the journal ends at event ${events.length}`)
  if (events[seq - 1]?.hash !== snapshot.hash) return sentence(`is that of another event ${seq} than the one in the journal`)
  const { slices, config } = state as unknown as State
  if (slices !== undefined && !folds(config.loop)) return undefined
  const folded = foldedTo(seq, events, folds)
  if (folded === undefined || folded === canonical(state)) return undefined
  return sentence(`is not what the events up to event ${seq} come to`)
}

/** The canonical state at `seq`; nothing where this Pawl cannot make one of these events, whose chain is whole all the same. */
function foldedTo(seq: Seq, events: readonly StoredEvent[], folds: Folds): string | undefined {
  try {
    const upcasted = events.slice(0, seq).map((event) => upcast(event))
    return canonical(evolveAllWith(folds, undefined, upcasted))
  } catch (error) {
    if (error instanceof PawlError) return undefined
    throw error
  }
}

function sentence(what: string): string {
  return `The cached state ${what}: its row in the table "snapshots" was changed, or the journal was. Deleting that row loses nothing, since the state is then made from the events.`
}
