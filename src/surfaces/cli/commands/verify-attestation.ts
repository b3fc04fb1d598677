import { PawlError } from '../../../core/pawl-error.ts'
import type { ResourceDescriptor } from '../../../present/provenance/run-statement.ts'
import { type CliContext, withStore } from '../cli-context.ts'
import { shortPath, textFile } from '../../../settings/text-file.ts'
import { EXIT } from '../exit-codes.ts'
import { attestationProblems, readAttestation } from './attestation.ts'
import { requireEvents, requireStore } from './existing-store.ts'
import { verifyRun } from './verify-run.ts'

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
