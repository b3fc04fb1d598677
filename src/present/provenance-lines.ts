import { voiceWords } from '../loops/shared/review-voices.ts'
import { type CoderDecision, type CoderOutput, type Provenance } from '../loops/review/index.ts'
import { fitted, type Screen } from './layout.ts'

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
