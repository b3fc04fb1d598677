import { type Verification, verifyRun } from '../../../evidence/verify-run.ts'
import { type CliContext, withStore } from '../cli-context.ts'
import { EXIT } from '../exit-codes.ts'
import { verificationLines } from '../../../present/run-table.ts'
import { requireEvents, requireStore, withExistingStore } from '../stored-run.ts'
import { existsSync } from 'node:fs'
import { PawlError } from '../../../core/pawl-error.ts'
import type { verifySshSignature } from './ssh-signature.ts'
import type { ResourceDescriptor } from '../../../present/run-statement.ts'
import { shortPath, textFile } from '../../../settings/text-file.ts'
import { attestationProblems, readAttestation } from './attestation.ts'

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

/** What checking an attestation came to. */
interface Verified {
  readonly attestation: string
  readonly run: string
  readonly seq: number
  readonly ok: boolean
  readonly subject: readonly ResourceDescriptor[]
  readonly problems: readonly string[]
  /** Who signed it, by the file of signers that was given. */
  readonly signedBy?: string
}

export interface AttestationFlags {
  /** A file of allowed signers, as ssh-keygen has it: the attestation must be signed by one of them. */
  readonly signers?: string
  /** Default: the attestation's name and `.sig`. */
  readonly signature?: string
}

/** Says whether an attestation is what the journal of its run says, and whether that journal is whole. Exit 1 when not. */
export async function verifyAttestation(
  context: CliContext,
  file: string,
  run?: string,
  { signers, signature = `${file}.sig` }: AttestationFlags = {},
): Promise<number> {
  const { terminal, isJson } = context
  const text = await textFile(file)
  const name = shortPath(file)
  if (text === undefined) throw new PawlError('usage.no-file', `There is no file ${name}.`, { value: file })
  const read = readAttestation(text, name)
  if (run !== undefined && run !== read.run)
    throw new PawlError('usage.attestation', `${name} is about run ${read.run}, not about ${run}.`, { value: run })
  requireStore(context, read.run)
  const signed: Partial<{ signedBy: string; problem: string }> =
    signers === undefined ? {} : await signedBy(text, signature, signers)
  const wrong = await withStore(context, async (store) => {
    const whole = await verifyRun(store, read.run, async () => requireEvents(store, read.run, await store.readStored(read.run)))
    const damage = whole.problems.map(({ message }) => message)
    return whole.events === 0 ? damage : [...damage, ...attestationProblems(read, await store.read(read.run))]
  })
  const problems = [...wrong, ...(signed.problem === undefined ? [] : [signed.problem])]
  const { seq, statement } = read
  const result: Verified = {
    attestation: name,
    run: read.run,
    seq,
    ok: problems.length === 0,
    subject: statement.subject,
    problems,
    ...(signed.signedBy === undefined ? {} : { signedBy: signed.signedBy }),
  }
  if (isJson) terminal.json(result)
  else for (const line of linesOf(result, terminal)) terminal.say(line)
  return result.ok ? EXIT.done : EXIT.error
}

async function signedBy(text: string, signature: string, signers: string): ReturnType<typeof verifySshSignature> {
  if (!existsSync(signers)) throw new PawlError('usage.no-file', `There is no file ${signers}.`, { value: signers })
  if (!existsSync(signature)) return { problem: `It isn't signed: there is no file ${shortPath(signature)}.` }
  const { verifySshSignature } = await import('./ssh-signature.ts')
  return verifySshSignature(text, signature, signers)
}

function linesOf(
  { attestation, run, seq, ok, subject, problems, signedBy: who }: Verified,
  { paint }: CliContext['terminal'],
): readonly string[] {
  if (!ok) return [`${paint('red', 'BAD')}  ${attestation}`, ...problems.map((problem) => `     ${problem}`)]
  return [
    `${paint('green', 'ok')}   ${attestation}: says what the journal of run ${run} says up to event ${seq}, and that journal is whole`,
    ...(who === undefined ? [] : [`     signed by ${who}`]),
    ...subject.map(({ name, digest }) => `     ${name}: ${Object.entries(digest).flat().join(' ')}`),
  ]
}
