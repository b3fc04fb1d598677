import { defined } from '../core/defined.ts'
import type { Event, Instant, Seq } from '../core/event.ts'
import type { EventData } from '../core/event-data.ts'
import { type Acceptance, acceptancesIn } from '../loops/shared/acceptances.ts'
import { type ReviewVoice, reviewVoices, voiceWords } from '../loops/shared/review-voices.ts'
import type { CoderDecision, CoderOutput, Provenance } from '../loops/review/index.ts'
import { fitted, type Screen } from './layout.ts'

/** One thing on record about who did what: an assignment, what somebody's work came to, or a verdict on that. */
export type ProvenanceRecord = {
  readonly run: string
  readonly seq: Seq
  readonly at: Instant
  readonly iteration: number
} & (
  | ({ readonly kind: 'assignment' } & Omit<EventData['role.assigned'], 'iteration'>)
  | {
      readonly kind: 'output'
      readonly item?: string
      readonly role: string
      /** The coder by the name of the plan, where it has one. */
      readonly coder?: string
      readonly agent?: string
      readonly model?: string
      readonly reworkCycle?: number
      readonly summary?: string
      readonly failed?: string
      /** Verdicts on it, as places in the journal: the last one is final. */
      readonly verdicts: readonly Seq[]
    }
  | {
      readonly kind: 'verdict'
      /** The output it is about. */
      readonly of?: Seq
      /**
       * Who says so: the reviewers, the tests, the checks together, of a plan the contract that it has to keep, or a person who took the
       * work as done.
       */
      readonly from: 'review' | 'tests' | 'checks' | 'contract' | 'person'
      readonly verdict: string
      /** Who reviewed, agents with their models. */
      readonly reviewers?: readonly ReviewVoice[]
      /** Of a person: what spoke against it, and what they said. */
      readonly despite?: string
      readonly note?: string
      readonly route?: string
      readonly similarity?: number
    }
)

type Output = Extract<ProvenanceRecord, { kind: 'output' }>
type Verdict = Extract<ProvenanceRecord, { kind: 'verdict' }>

/**
 * Who did what and what became of it, in the order of the journal and for every loop. In a review outputs are its passes, with the
 * verdicts of reviewers and tests; in other loops they are the agent's pieces of work, with the verdict of the checks.
 */
export function provenanceRecords(events: readonly Event[]): readonly ProvenanceRecord[] {
  const isReview = events.some(({ type }) => type === 'pass.recorded')
  const outputs = isReview ? passes(events) : works(events)
  const accepted = new Map(acceptancesIn(events).map((each) => [each.seq, each]))
  const verdicts = events.flatMap((event) => {
    const acceptance = accepted.get(event.seq)
    return acceptance ? [acceptedVerdict(event, acceptance, outputs)] : verdictIn(event, events, outputs, isReview)
  })
  const records: ProvenanceRecord[] = [
    ...events.flatMap((event) => (event.type === 'role.assigned' ? [assignment(event)] : [])),
    ...outputs.map((output) => ({
      ...output,
      verdicts: verdicts.filter(({ of }) => of === output.seq).map(({ seq }) => seq),
    })),
    ...verdicts,
  ]
  return records.toSorted((one, other) => one.seq - other.seq)
}

function assignment({ run, seq, at, data }: Event<'role.assigned'>): ProvenanceRecord {
  return { kind: 'assignment', run, seq, at, ...data }
}

function passes(events: readonly Event[]): readonly Output[] {
  const work = new Map(events.map((event) => [event.seq, event]))
  return events.flatMap((event): readonly Output[] => {
    if (event.type !== 'pass.recorded') return []
    const { run, seq, at, because = 0, data } = event
    const { item, ...rest } = data
    return [
      { kind: 'output', run, seq, at, ...rest, ...(item === '' ? {} : { item }), ...playerOf(work.get(because)), verdicts: [] },
    ]
  })
}

function works(events: readonly Event[]): readonly Output[] {
  const roles = new Map<string, string>()
  let item: string | undefined
  return events.flatMap((event): readonly Output[] => {
    if (event.type === 'work.started') roles.set(event.data.key, event.data.role)
    if (event.type === 'item.started') ({ item } = event.data)
    if ((event.type !== 'work.finished' && event.type !== 'work.failed') || event.by.role !== 'agent') return []
    const { run, seq, at, data } = event
    const [iteration, role = 'agent'] = data.key.split('/')
    return [
      {
        kind: 'output',
        run,
        seq,
        at,
        iteration: Number(iteration),
        ...(item === undefined ? {} : { item }),
        role: roles.get(data.key) ?? role,
        ...playerOf(event),
        ...('summary' in data && data.summary !== undefined ? { summary: data.summary } : {}),
        ...('message' in data ? { failed: data.message } : {}),
        verdicts: [],
      },
    ]
  })
}

function playerOf(event: Event | undefined): Pick<Output, 'agent' | 'model'> {
  const { name, model } = event?.by ?? {}
  return { ...defined({ agent: name, model }) }
}

function acceptedVerdict({ run, seq, at }: Event, acceptance: Acceptance, outputs: readonly Output[]): Verdict {
  const { iteration, despite, note } = acceptance
  const words = { despite, ...(note === undefined ? {} : { note }) }
  return {
    kind: 'verdict',
    run,
    seq,
    at,
    iteration,
    ...outputOf(outputs, iteration, seq),
    from: 'person',
    verdict: 'accepted',
    ...words,
  }
}

/** The output that a verdict of the iteration is about. */
function outputOf(outputs: readonly Output[], iteration: number, seq: Seq): Pick<Verdict, 'of'> {
  const output = outputs.findLast((each) => each.iteration === iteration && each.seq < seq)
  return output === undefined ? {} : { of: output.seq }
}

function verdictIn(event: Event, events: readonly Event[], outputs: readonly Output[], isReview: boolean): readonly Verdict[] {
  const { run, seq, at } = event
  const of = (iteration: number) => outputOf(outputs, iteration, seq)
  if (event.type === 'pass.judged') {
    const { iteration, verdict, route, similarity } = event.data
    const likeness = similarity === undefined ? {} : { similarity }
    const about = of(iteration)
    const reviewers = reviewVoices(events, about.of ?? 0, seq)
    return [{ kind: 'verdict', run, seq, at, iteration, ...about, from: 'review', verdict, route, ...likeness, reviewers }]
  }
  if (event.type === 'tests.judged') {
    const { iteration, outcome } = event.data
    return [{ kind: 'verdict', run, seq, at, iteration, ...of(iteration), from: 'tests', verdict: outcome }]
  }
  if ((event.type === 'handoff.accepted' || event.type === 'handoff.refused') && event.data.iteration === 0) {
    const verdict = event.type === 'handoff.accepted' ? 'accepted' : `refused: ${event.data.rule}`
    return [{ kind: 'verdict', run, seq, at, iteration: 0, ...of(0), from: 'contract', verdict }]
  }
  if (event.type !== 'iteration.ended' || isReview) return []
  const { iteration, verdict } = event.data
  const word = verdict.passed ? 'passed' : 'failed'
  return [{ kind: 'verdict', run, seq, at, iteration, ...of(iteration), from: 'checks', verdict: word }]
}

/** Who did what in every iteration of a review: who was put to work and why, what they said of it, and the verdict on it. */
export function provenanceLines({ outputs, decisions }: Provenance, { paint, columns }: Screen): readonly string[] {
  if (decisions.length === 0) return ['Nobody was put to work: only a review loop assigns its work.']
  return decisions.flatMap((decision, index) => {
    // A planner may have been put to work more than once before the first iteration.
    const until = decisions[index + 1]?.seq ?? Infinity
    const output = outputs.find(({ seq }) => seq > decision.seq && seq < until)
    const place = decision.role === 'planner' ? 'plan' : `${decision.iteration}. ${decision.item}`
    const verdict = output?.verdict === undefined ? '' : `  ${paint('bold', output.verdict)}`
    return [
      `${place}: ${whoWords(decision, output)}${verdict}`,
      ...[decision.reason, ...saidIn(output), ...judgedBy(output)].map((text) => `   ${fitted(text, columns - 3)}`),
    ]
  })
}

function whoWords({ to, from, trigger, reworkCycle }: CoderDecision, output: CoderOutput | undefined): string {
  const player = [output?.agent, output?.model].filter((name) => name !== undefined && name !== to).join(', ')
  const change = from === undefined || from === to ? '' : ` after ${from}`
  const cycle = reworkCycle === 0 ? '' : `, after ${reworkCycle} ${reworkCycle === 1 ? 'rework' : 'reworks'}`
  return `${to}${player === '' ? '' : ` (${player})`}, ${trigger}${change}${cycle}`
}

function saidIn(output: CoderOutput | undefined): readonly string[] {
  if (output?.failed !== undefined) return [`failed: ${output.failed}`]
  return output === undefined || output.summary === '' ? [] : [`"${output.summary}"`]
}

/** Who reviewed it, and who took it in spite of that. */
function judgedBy(output: CoderOutput | undefined): readonly string[] {
  const { reviewers = [], accepted } = output ?? {}
  const note = accepted?.note === undefined ? '' : ` ("${accepted.note}")`
  return [...reviewers.map(voiceWords), ...(accepted ? [`accepted by a person${note}, although: ${accepted.despite}`] : [])]
}
