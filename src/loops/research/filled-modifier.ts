import type { AgentAssignment } from './assignment.ts'
import type { Gap } from './gap.ts'
import type { ResearchProgress } from './research-progress.ts'
import type { ResearchRules, SpecialistTask } from './research-rules.ts'
import { shortened } from '../../core/wording.ts'
import { taskOf } from './select-agents.ts'

/**
 * What is added to the prompt for the gap, its `{placeholders}` filled in, once for each gap that the agent is sent for. A placeholder that is not known stands for
 * what the gap is about.
 */
export function filledModifier(
  assignment: AgentAssignment,
  { rules, research, prompt }: { readonly rules: ResearchRules; readonly research: ResearchProgress; readonly prompt: string },
  missing: readonly string[],
): string {
  const gaps = assignment.gaps.flatMap((id) => research.gaps.find((gap) => gap.id === id) ?? [])
  const [main] = gaps
  const task: SpecialistTask = main ? taskOf(main) : assignment.isForced ? 'forced' : 'initial'
  const { modifier } = rules.specialists[task]
  const each: readonly (Gap | undefined)[] = gaps.length === 0 ? [undefined] : gaps
  const texts = each.map((gap) => {
    const values = valuesFor(gap, research, missing)
    const about = gap?.area ?? prompt
    return modifier.replaceAll(
      /\{([a-z_]+)\}/gi,
      (_whole, name: string) => values[name.toLowerCase()] ?? shortened(about, AREA_LENGTH_MAX),
    )
  })
  return [...new Set(texts)].join('\n')
}

const AREA_LENGTH_MAX = 400
const FILES_NAMED_MAX = 30

function valuesFor(
  gap: Gap | undefined,
  research: ResearchProgress,
  missing: readonly string[],
): Readonly<Record<string, string>> {
  const files = (gap?.kind === 'coverage_gap' ? (gap.files ?? []) : missing).slice(0, FILES_NAMED_MAX)
  const list = files.length === 0 ? 'the files that you find to matter' : files.join(', ')
  const question = research.questions.find(({ id }) => id === gap?.question)
  const conflict = research.conflicts.find(({ id }) => id === gap?.conflict)
  const [one, other] = (conflict?.sides ?? []).map(({ finding }) => research.findings.find(({ id }) => id === finding))
  const answers = research.findings.filter(({ id }) => question?.findings.includes(id)).map(({ description }) => description)
  return {
    missing_file_list: list,
    missing_files: list,
    file_list: list,
    ...(question === undefined
      ? {}
      : {
          question: question.text,
          current_findings: answers.length === 0 ? 'nothing' : shortened(answers.join('; '), AREA_LENGTH_MAX),
          needed: question.missing ?? 'an answer with evidence',
        }),
    ...(conflict === undefined
      ? {}
      : {
          conflict_id: conflict.id,
          agent_a: one?.sourceAgents.join(' and ') ?? 'one agent',
          agent_b: other?.sourceAgents.join(' and ') ?? 'another agent',
          finding_a: shortened(one?.description ?? conflict.sides[0].value, AREA_LENGTH_MAX),
          finding_b: shortened(other?.description ?? conflict.sides[1].value, AREA_LENGTH_MAX),
        }),
  }
}
