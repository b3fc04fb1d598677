import { isDeepStrictEqual } from 'node:util'
import { PawlError } from '../../../core/pawl-error.ts'
import { PREDICATE_TYPE, runStatement, type Statement, STATEMENT_TYPE } from '../../../present/run-statement.ts'
import type { SealedEvent } from '../../../stores/store.ts'

/** A DSSE envelope. Its "signature" is the head of the journal's hash chain, and no key's: see `attestationProblems`. */
export interface Envelope {
  readonly payloadType: typeof PAYLOAD_TYPE
  /** The statement as JSON, in base64. */
  readonly payload: string
  readonly signatures: readonly { readonly keyid: string; readonly sig: string }[]
}

const PAYLOAD_TYPE = 'application/vnd.in-toto+json'

/** Attests what a journal says, up to its last event. */
export function attestationOf(events: readonly SealedEvent[]): Envelope {
  const statement = runStatement(events)
  const head = events.at(-1)
  const sig = Buffer.from(head?.hash ?? '', 'hex').toString('base64')
  return {
    payloadType: PAYLOAD_TYPE,
    payload: Buffer.from(JSON.stringify(statement)).toString('base64'),
    signatures: [{ keyid: keyOf(head?.run ?? '', head?.seq ?? 0), sig }],
  }
}

/** An attestation as it was read: which run and which event it is about, and what it says. */
export interface ReadAttestation {
  readonly run: string
  readonly seq: number
  /** The head of the chain as the envelope has it, in hex. */
  readonly hash: string
  readonly statement: Statement
}

/** Reads an envelope. Refuses one that isn't ours, with the reason. */
export function readAttestation(text: string, file: string): ReadAttestation {
  const refuse = (why: string): never => {
    throw new PawlError('usage.attestation', `${file} is no attestation of Pawl: ${why}.`, { value: file })
  }
  const envelope = parsed(text) as Partial<Envelope> | undefined
  if (typeof envelope?.payload !== 'string' || envelope.payloadType !== PAYLOAD_TYPE)
    return refuse(`it is no envelope with a payload of the type ${PAYLOAD_TYPE}`)
  const statement = parsed(Buffer.from(envelope.payload, 'base64').toString('utf8')) as Partial<Statement> | undefined
  if (statement?._type !== STATEMENT_TYPE) return refuse(`its payload is no ${STATEMENT_TYPE}`)
  if (statement.predicateType !== PREDICATE_TYPE) return refuse(`its predicate is not ${PREDICATE_TYPE}`)
  const [signature] = Array.isArray(envelope.signatures) ? envelope.signatures : []
  const [, seq, run] = KEY.exec(String(signature?.keyid)) ?? []
  if (signature === undefined || run === undefined) return refuse('its signature does not name the run and the event')
  const hash = Buffer.from(String(signature.sig), 'base64').toString('hex')
  return { run, seq: Number(seq), hash, statement: statement as Statement }
}

/**
 * What is wrong with an attestation, given the journal it is about; nothing if it says exactly what the journal says up to that
 * event. Whether the journal itself is whole is another question.
 */
export function attestationProblems(
  { run, seq, hash, statement }: ReadAttestation,
  events: readonly SealedEvent[],
): readonly string[] {
  const upTo = events.slice(0, seq)
  const head = upTo.at(-1)
  if (head?.seq !== seq)
    return [`The journal of run ${run} has ${events.length} events, and the attestation is about event ${seq}.`]
  if (head.hash !== hash) return [`Its signature is not the hash of event ${seq}: it is about another journal, or was changed.`]
  const expected = runStatement(upTo)
  const parts = { subject: 'the artifacts', predicate: 'what was done' } as const
  return (Object.keys(parts) as (keyof typeof parts)[])
    .filter((part) => !isDeepStrictEqual(expected[part], statement[part]))
    .map(
      (part) =>
        `It says something else about ${parts[part]} than the journal does (${part}${placeOf(expected[part], statement[part])}).`,
    )
}

/** `pawl-journal:SEQ:RUN`: the hash of which event of which run it is. */
function keyOf(run: string, seq: number): string {
  return `pawl-journal:${seq}:${run}`
}

const KEY = /^pawl-journal:(\d+):(.+)$/s

/** The first place at which two values differ, as `.items[0].id`. */
function placeOf(one: unknown, other: unknown): string {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return ''
  const keys = [...new Set([...Object.keys(one), ...Object.keys(other)])]
  const key = keys.find((each) => !isDeepStrictEqual(at(one, each), at(other, each)))
  if (key === undefined) return ''
  return `${Array.isArray(one) ? `[${key}]` : `.${key}`}${placeOf(at(one, key), at(other, key))}`
}

function at(value: object, key: string): unknown {
  return (value as Readonly<Record<string, unknown>>)[key]
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Not JSON: the caller says so.
    return undefined
  }
}
