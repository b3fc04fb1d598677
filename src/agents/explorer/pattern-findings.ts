import type { AnswerFinding } from '../../loops/research/agent-answer.ts'
import type { Declaration } from '../../codebase/codebase.ts'
import { listed } from './listed.ts'
import type { Look } from './look.ts'

const EXAMPLES_MIN = 3
const PATTERNS_MAX = 6
const EXAMPLES_CITED_MAX = 6

/** Names that are built alike, around the words of the question: `createLoginForm`, `createUserForm`, … Three make a pattern. */
export async function patternFindings(look: Look): Promise<readonly AnswerFinding[]> {
  const declarations = [...look.words]
    .flatMap((word) => look.index.declarationsWith(word))
    .filter(({ file }) => !look.index.isTest(file))
  const groups = new Map<string, Map<string, Declaration>>()
  for (const declaration of declarations) {
    for (const shape of shapesOf(declaration.name, look.words)) {
      const group = groups.get(shape) ?? new Map<string, Declaration>()
      if (!group.has(declaration.name)) group.set(declaration.name, declaration)
      groups.set(shape, group)
    }
  }
  const patterns = [...groups]
    .filter(([, names]) => names.size >= EXAMPLES_MIN)
    .toSorted(([one, names], [other, others]) => others.size - names.size || (one < other ? -1 : 1))
    .slice(0, PATTERNS_MAX)
  const findings: AnswerFinding[] = []
  for (const [shape, names] of patterns) findings.push(await patternFinding(look, shape, [...names.values()]))
  return findings.filter(({ citations }) => citations.length >= EXAMPLES_MIN)
}

async function patternFinding(look: Look, shape: string, examples: readonly Declaration[]): Promise<AnswerFinding> {
  const folders = [...new Set(examples.map(({ file }) => file.slice(0, Math.max(file.lastIndexOf('/'), 0)) || '.'))]
  return {
    description: `Naming convention \`${shape}\`: ${listed(examples.map(({ name }) => `\`${name}\``))}, in ${listed(folders, 4)}.`,
    impact: 'informational',
    category: 'pattern',
    evidence: 'direct',
    citations: await look.citeAll(examples, EXAMPLES_CITED_MAX),
  }
}

/** `loginUser` is `login*`, `userLogin` is `*Login`: the word of the question and where it stands. */
function shapesOf(name: string, words: ReadonlySet<string>): readonly string[] {
  const parts = name.split(/(?<=\p{Ll})(?=\p{Lu})|_/u)
  if (parts.length < 2) return []
  const [first = '', last = ''] = [parts[0], parts.at(-1)]
  return [...(words.has(first.toLowerCase()) ? [`${first}*`] : []), ...(words.has(last.toLowerCase()) ? [`*${last}`] : [])]
}
