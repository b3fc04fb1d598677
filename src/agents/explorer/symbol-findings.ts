import type { AnswerFinding } from '../../loops/research/agent-answer.ts'
import type { Impact } from '../../loops/research/finding.ts'
import type { Declaration, Use } from '../../codebase/codebase.ts'
import { listed } from './listed.ts'
import type { Look } from './look.ts'

const DECLARATIONS_MAX = 6
const USE_FILES_MAX = 150

/** Where a name is declared: one finding for each file, the one that is meant first. */
export async function declaredFindings(
  look: Look,
  { name, file: own }: Declaration,
  impact: Impact,
): Promise<readonly AnswerFinding[]> {
  const places = look.index.declarationsOf(name)
  const findings: AnswerFinding[] = []
  const files = [...Map.groupBy(codeFirst(look, places), ({ file }) => file).values()].flatMap(([first]) => first ?? [])
  const ownFirst = files.toSorted((one, other) => Number(other.file === own) - Number(one.file === own))
  for (const { file, line, kind } of ownFirst.slice(0, DECLARATIONS_MAX)) {
    const citations = await look.citeAll([{ file, line }])
    if (citations.length === 0) continue
    findings.push({
      description: `\`${name}\` is declared as a ${kind} in ${file}.`,
      impact: look.index.isTest(file) ? 'informational' : impact,
      category: 'location',
      evidence: 'direct',
      citations,
      claims: [{ subject: name, attribute: 'is declared', value: `as a ${kind}`, scope: `${file}:${line}` }],
    })
  }
  if (files.length > DECLARATIONS_MAX) {
    look.uncertainties.push({
      area: name,
      reason: `\`${name}\` is declared in ${files.length} files, of which ${DECLARATIONS_MAX} are reported.`,
    })
  }
  return findings
}

/** What uses a name, code and tests apart. */
export async function usedFindings(look: Look, { name, file }: Declaration, impact: Impact): Promise<readonly AnswerFinding[]> {
  const uses = (await look.index.usesOf(name, USE_FILES_MAX)).filter((use) => !(use.file === file && use.isImport))
  const files = new Set(uses.map((use) => use.file))
  if (files.size >= USE_FILES_MAX) {
    look.uncertainties.push({
      area: name,
      reason: `More than ${USE_FILES_MAX} files mention \`${name}\`; the rest were not looked at.`,
    })
  }
  const inTests = uses.filter((use) => look.index.isTest(use.file))
  const inCode = uses.filter((use) => !look.index.isTest(use.file))
  const findings: AnswerFinding[] = []
  if (inCode.length > 0) findings.push(await useFinding(look, name, inCode, { impact, category: 'usage', who: 'used' }))
  if (inTests.length > 0)
    findings.push(
      await useFinding(look, name, inTests, { impact: 'informational', category: 'tests', who: 'exercised by tests' }),
    )
  if (uses.length === 0 && look.index.declarationsOf(name).length > 0) {
    look.uncertainties.push({
      area: name,
      reason: `No use of \`${name}\` was found by its name; it may be used through a re-export, a framework or at run time.`,
    })
  }
  return findings.filter(({ citations }) => citations.length > 0)
}

async function useFinding(
  look: Look,
  name: string,
  uses: readonly Use[],
  { impact, category, who }: { readonly impact: Impact; readonly category: string; readonly who: string },
): Promise<AnswerFinding> {
  const perFile = [...Map.groupBy(uses, ({ file }) => file)]
  // A call says more than the import that makes it possible.
  const telling = perFile
    .map(([, each]) => each.find(({ isImport }) => !isImport) ?? each[0])
    .filter((each) => each !== undefined)
  const shown = telling.map(({ file, within }) => (within === undefined || within === name ? file : `${file} (in \`${within}\`)`))
  return {
    description: `\`${name}\` is ${who} in ${listed(shown)}.`,
    impact,
    category,
    evidence: 'direct',
    citations: await look.citeAll(telling),
    claims: perFile.slice(0, CLAIMS_MAX).map(([file]) => ({ subject: name, attribute: 'is used', value: 'yes', scope: file })),
  }
}

const CLAIMS_MAX = 20

function codeFirst({ index }: Look, places: readonly Declaration[]): readonly Declaration[] {
  return places.toSorted((one, other) => Number(index.isTest(one.file)) - Number(index.isTest(other.file)))
}
