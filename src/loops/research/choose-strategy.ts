import type { RelevantFile } from './coverage.ts'
import type { ChosenStrategy } from './research-progress.ts'
import type { ResearchRules, StrategyName } from './research-rules.ts'
import { counted } from '../../core/wording.ts'
import { wordIn } from './word-in.ts'

/** How wide to look, and who begins: by the configuration, by the words of the question, else by how many files are relevant. */
export function chooseStrategy(prompt: string, files: readonly RelevantFile[], rules: ResearchRules): ChosenStrategy {
  const { strategy, reason } = chosen(prompt, files, rules)
  const rule = rules.strategies[strategy]
  return {
    strategy,
    iterationsMax: rules.iterationsMax ?? Math.min(rule.iterationsMax, rules.iterationsCap ?? rule.iterationsMax),
    filesMax: rule.filesMax,
    roles: cohortOf(prompt, rules, rule.roles),
    reason,
  }
}

function chosen(
  prompt: string,
  files: readonly RelevantFile[],
  { strategy, strategies }: ResearchRules,
): { readonly strategy: StrategyName; readonly reason: string } {
  if (strategy !== 'auto') return { strategy, reason: 'it is configured' }
  for (const name of BY_WORDS) {
    const word = strategies[name].words.find((each) => wordIn(prompt, each))
    if (word !== undefined) return { strategy: name, reason: `the question says "${word}"` }
  }
  const fitting = BY_FILES.find((name) => files.length <= strategies[name].relevantFilesMax) ?? 'comprehensive'
  return { strategy: fitting, reason: `${counted(files.length, 'file')} seem relevant` }
}

/** Who asks for everything is not narrowed down by a "where is". */
const BY_WORDS: readonly StrategyName[] = ['comprehensive', 'broad', 'narrow']
const BY_FILES: readonly StrategyName[] = ['narrow', 'broad', 'comprehensive']

/** Those that always belong to it, then those that the question calls for, then the others of the strategy; at most `agentsMax`. One that is configured is taken whole. */
function cohortOf(prompt: string, { cohort, roles, agentsMax }: ResearchRules, offered: readonly string[]): readonly string[] {
  if (cohort !== undefined) return cohort
  const isCalled = (role: string): boolean => (roles[role]?.keywords ?? []).some((keyword) => wordIn(prompt, keyword))
  const rank = (role: string): number => (roles[role]?.isAlwaysIncluded ? 0 : isCalled(role) ? 1 : 2)
  const always = Object.keys(roles).filter((role) => roles[role]?.isAlwaysIncluded === true && !offered.includes(role))
  return [...always, ...offered].toSorted((one, other) => rank(one) - rank(other)).slice(0, agentsMax)
}
