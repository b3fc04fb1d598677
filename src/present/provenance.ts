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
      /** The coder by the name of the plan, if it has one. */
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
  const verdicts = events.flatMap((event) => verdictsIn(event, { events, outputs, isReview, accepted: accepted.get(event.seq) }))
  const records: ProvenanceRecord[] = [
    ...events.flatMap(({ type, run, seq, at, data }) =>
      type === 'role.assigned' ? [{ kind: 'assignment' as const, run, seq, at, ...data }] : [],
    ),
    ...outputs.map((output) => ({
      ...output,
      verdicts: verdicts.filter(({ of }) => of === output.seq).map(({ seq }) => seq),
    })),
    ...verdicts,
  ]
  return records.toSorted((one, other) => one.seq - other.seq)
}

interface Journal {
  readonly events: readonly Event[]
  readonly outputs: readonly Output[]
  readonly isReview: boolean
  /** Set if the event is a person's who took the work as done. */
  readonly accepted: Acceptance | undefined
}

function passes(events: readonly Event[]): readonly Output[] {
  const work = new Map(events.map((event) => [event.seq, event]))
  return events.flatMap((event): readonly Output[] => {
    if (event.type !== 'pass.recorded') return []
    const { run, seq, at, because = 0, data } = event
    const { item, ...rest } = data
    const by = playerOf(work.get(because))
    return [{ kind: 'output', run, seq, at, ...rest, ...(item === '' ? {} : { item }), ...by, verdicts: [] }]
  })
}

function works(events: readonly Event[]): readonly Output[] {
  const roles = new Map<string, string>()
  let item: string | undefined
  return events.flatMap((event): readonly Output[] => {
    const { type, run, seq, at, by, data } = event
    if (type === 'work.started') roles.set(data.key, data.role)
    if (type === 'item.started') ({ item } = data)
    if ((type !== 'work.finished' && type !== 'work.failed') || by.role !== 'agent') return []
    const [iteration, part = 'agent'] = data.key.split('/')
    const role = roles.get(data.key) ?? part
    const said = defined(type === 'work.failed' ? { failed: data.message } : { summary: data.summary })
    const place = { run, seq, at, iteration: Number(iteration), ...defined({ item }) }
    return [{ kind: 'output', ...place, role, ...playerOf(event), ...said, verdicts: [] }]
  })
}

function playerOf(event: Event | undefined): Pick<Output, 'agent' | 'model'> {
  return defined({ agent: event?.by.name, model: event?.by.model })
}

function verdictsIn(event: Event, { events, outputs, isReview, accepted }: Journal): readonly Verdict[] {
  const { type, run, seq, at, data } = event
  const verdict = (iteration: number, from: Verdict['from'], word: string, more: Partial<Verdict> = {}): readonly Verdict[] => {
    const of = outputOf(outputs, iteration, seq)
    return [{ kind: 'verdict', run, seq, at, iteration, ...defined({ of }), from, verdict: word, ...more }]
  }
  if (accepted) {
    const { iteration, despite, note } = accepted
    return verdict(iteration, 'person', 'accepted', { despite, ...defined({ note }) })
  }
  if (type === 'pass.judged') {
    const { iteration, route, similarity } = data
    const reviewers = reviewVoices(events, outputOf(outputs, iteration, seq) ?? 0, seq)
    return verdict(iteration, 'review', data.verdict, { route, ...defined({ similarity }), reviewers })
  }
  if (type === 'tests.judged') return verdict(data.iteration, 'tests', data.outcome)
  if (type === 'handoff.accepted' && data.iteration === 0) return verdict(0, 'contract', 'accepted')
  if (type === 'handoff.refused' && data.iteration === 0) return verdict(0, 'contract', `refused: ${data.rule}`)
  if (type !== 'iteration.ended' || isReview) return []
  return verdict(data.iteration, 'checks', data.verdict.passed ? 'passed' : 'failed')
}

/** The output that a verdict of the iteration is about. */
function outputOf(outputs: readonly Output[], iteration: number, seq: Seq): Seq | undefined {
  return outputs.findLast((each) => each.iteration === iteration && each.seq < seq)?.seq
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
