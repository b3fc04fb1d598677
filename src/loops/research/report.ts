import type { Convergence, CriterionResult, ResearchQuestion } from './progress.ts'
import { type Citation, type Finding, type Impact, isHidden, isVerified } from './finding.ts'
import { counted, duration, percent, shortened } from '../../core/wording.ts'
import type { ResearchResult } from './result.ts'
import { textChart } from './charts.ts'

/**
 * What research has come to, to be read by a person: the answers first, then what was found, with every citation and what became of
 * verifying it, what is disputed, what is still open and why, and the numbers.
 */
export function markdownReport(result: ResearchResult): string {
  const sections = [
    `# ${oneLine(result.goal)}\n\n${headline(result)}`,
    section('Answers', result.questions.map((question) => answer(question, result.findings)).join('\n\n')),
    section('Findings', findings(result.findings)),
    section('Conflicts', conflicts(result)),
    section('Still open', open(result)),
    section('Convergence', convergence(result)),
    section('Who found what', contributions(result)),
    section(
      'Given up',
      result.withdrawn.map((finding) => `- ${finding.id}: ${oneLine(finding.description)}${why(finding)}`).join('\n'),
    ),
  ]
  return `${sections.filter((text) => text !== '').join('\n\n')}\n`
}

function section(title: string, text: string): string {
  return text === '' ? '' : `## ${title}\n\n${text}`
}

function headline({ status, partial, metrics, convergences, coverage, confidence, unmet, strategy }: ResearchResult): string {
  const last = convergences.at(-1)
  const early = last?.early ? `, ${counted(last.early.iterationsSkipped, 'iteration')} early` : ''
  const verdict = status === 'not_converged' ? 'Not finished' : `${status === 'FULL' ? 'Full' : 'Partial'} convergence${early}`
  const quality = partial ? ` ${partial.isGood ? 'A good partial result' : 'Not a good partial result'}: ${partial.why}.` : ''
  const missing = unmet.length === 0 ? '' : ` Not reached: ${unmet.join(', ')}.${quality}`
  const failures = last?.agentFailures ?? []
  const failed =
    failures.length === 0 ? '' : ` In the last iteration ${counted(failures.length, 'agent')} failed: ${failures.join(', ')}.`
  const how = strategy ? ` Strategy ${strategy.strategy}, because ${strategy.reason}.` : ''
  return `**${verdict}** after ${counted(metrics.iterations, 'iteration')}: coverage ${percent(coverage.coverage)}, confidence ${percent(confidence)}, ${counted(metrics.findings, 'finding')} with ${counted(metrics.citations, 'verified citation')}.${missing}${failed}${how}`
}

const ANSWERED = { answered: 'Answered', claimed: 'Claimed', partly: 'Partly answered', not: 'Not answered' } as const

function answer({ text, status, findings: ids, missing, kind }: ResearchQuestion, all: readonly Finding[]): string {
  const found = ids.flatMap((id) => all.find((finding) => finding.id === id) ?? [])
  const shown = found
    .slice(0, ANSWERS_SHOWN_MAX)
    .map((finding) => `- ${oneLine(finding.description)} (${finding.id}; ${places(finding)})`)
  const more = found.length > ANSWERS_SHOWN_MAX ? [`- and ${found.length - ANSWERS_SHOWN_MAX} more, see Findings`] : []
  const gap = status === 'answered' || missing === undefined ? [] : [`- Missing: ${oneLine(missing)}`]
  return [`### ${oneLine(text)}`, '', `${ANSWERED[status]} (${kind}).`, ...shown, ...more, ...gap].join('\n')
}

const ANSWERS_SHOWN_MAX = 8

/** The first places that were verified; where there are none, that is said. */
function places({ citations }: Finding): string {
  const good = citations.filter(isVerified)
  if (good.length === 0) return 'no verified citation'
  const shown = good.slice(0, 2).map(({ file, line }) => `\`${file}:${line}\``)
  return good.length > 2 ? `${shown.join(', ')} and ${good.length - 2} more` : shown.join(', ')
}

const IMPACTS: readonly (readonly [Impact, string])[] = [
  ['critical', 'Critical'],
  ['important', 'Important'],
  ['informational', 'Informational'],
]

function findings(all: readonly Finding[]): string {
  return IMPACTS.flatMap(([impact, title]) => {
    const some = all.filter((finding) => finding.impact === impact)
    return some.length === 0 ? [] : [`### ${title}`, some.map(findingLines).join('\n\n')]
  }).join('\n\n')
}

function findingLines(finding: Finding): string {
  const { id, description, confidence, confidenceParts, citations, sourceAgents, iterationDiscovered, category } = finding
  const parts = confidenceParts.map(({ value, why: reason }) => `${signed(value)} ${reason}`).join(', ')
  return [
    `**${id}** ${oneLine(description)}`,
    '',
    `- Confidence ${percent(confidence)}: ${parts}`,
    `- ${category}; found in iteration ${iterationDiscovered} by ${sourceAgents.join(', ')}`,
    ...placesOf(citations).map(citationLine),
    ...(citations.length === 0 ? ['- No citation was given.'] : []),
  ].join('\n')
}

interface CitedPlace extends Citation {
  readonly agents: readonly string[]
}

/** A place that several agents cite is one place; the longest quotation stands for all. */
function placesOf(citations: readonly Citation[]): readonly CitedPlace[] {
  const byPlace = new Map<string, CitedPlace>()
  for (const citation of citations) {
    const key = `${citation.file}:${citation.line} ${citation.status}`
    const known = byPlace.get(key)
    const longest = known && known.snippet.length >= citation.snippet.length ? known : citation
    byPlace.set(key, { ...longest, agents: [...new Set([...(known?.agents ?? []), citation.agent])] })
  }
  return [...byPlace.values()]
}

/** Never one that was not verified without saying so. */
function citationLine({ file, line, snippet, status, note, agents }: CitedPlace): string {
  const words = snippet.trim() === '' ? ' (nothing was quoted)' : `: ${code(snippet)}`
  const mark = {
    exact: '',
    drifted: ` (moved${note === undefined ? '' : `: ${note}`})`,
    refuted: ` **refuted${note === undefined ? '' : `: ${note}`}**`,
    unverified: ` **not verified${isHidden({ snippet }) ? ': a secret in it was hidden' : ''}**`,
  }
  const who = agents.length > 1 ? ` (${agents.join(', ')})` : ''
  return `- \`${file}:${line}\`${words}${mark[status]}${who}`
}

function code(snippet: string): string {
  const line = oneLine(snippet)
  const short = line.length > SNIPPET_SHOWN_MAX ? `${line.slice(0, SNIPPET_SHOWN_MAX)}…` : line
  const ticks = short.includes('`') ? '``' : '`'
  return `${ticks}${ticks.length > 1 ? ' ' : ''}${short}${ticks.length > 1 ? ' ' : ''}${ticks}`
}

const SNIPPET_SHOWN_MAX = 160

function conflicts({ conflicts: all, needsReview, findings: live, withdrawn }: ResearchResult): string {
  const words = (id: string): string => oneLine([...live, ...withdrawn].find((finding) => finding.id === id)?.description ?? id)
  const lines = all.map(({ id, topic, scope, sides, rootCause, resolution }) => {
    const where = scope === undefined ? '' : ` (${scope})`
    const cause = rootCause === undefined ? '' : ` Likely cause: ${oneLine(rootCause)}.`
    const end = resolution
      ? `Settled by ${resolution.agent}: ${resolution.keep} holds. ${oneLine(resolution.reason)}`
      : '**Not settled.**'
    return `- ${id}, ${topic}${where}: ${sides.map(({ finding, value }) => `${finding} says ${value}`).join(', ')}.${cause} ${end}`
  })
  const pairs = needsReview
    .slice(0, PAIRS_SHOWN_MAX)
    .map(({ findings: [one, other], why: reason }) => `- Needs review (${reason}): "${words(one)}" and "${words(other)}"`)
  const rest = needsReview.length - pairs.length
  const more =
    rest > 0 ? [`- and ${counted(rest, 'pair')} more that may contradict each other: see needsReview in the report as data`] : []
  return [...lines, ...pairs, ...more].join('\n')
}

const PAIRS_SHOWN_MAX = 5

function open({ gaps, uncertainties, coverage, findingsDropped, timesPutBack }: ResearchResult): string {
  const missing = coverage.missing.slice(0, FILES_SHOWN_MAX)
  const rest = coverage.missing.length - missing.length
  const told = uncertainties.filter(({ agent }) => agent !== undefined)
  return [
    ...gaps.map(
      ({ id, kind, priority, reason, status, attempts }) =>
        `- ${id} (${kind}, priority ${priority}, ${status}): ${oneLine(reason)}${triedWords(attempts)}`,
    ),
    ...(missing.length === 0
      ? []
      : [
          `- Relevant files without a verified citation: ${missing.map((file) => `\`${file}\``).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`,
        ]),
    ...told.map(({ area, reason, agent }) => `- ${agent} is uncertain about ${oneLine(area)}: ${oneLine(reason)}`),
    ...(findingsDropped > 0 ? [`- ${counted(findingsDropped, 'finding')} more than are kept were left out.`] : []),
    ...(timesPutBack > 0 ? [`- Agents changed files ${counted(timesPutBack, 'time')}; they were put back.`] : []),
  ].join('\n')
}

/** A gap that stays says why: whoever was sent could not close it. */
function triedWords(attempts: number): string {
  return attempts === 0 ? '' : ` (tried ${counted(attempts, 'time')} without closing it)`
}

const FILES_SHOWN_MAX = 20

function convergence({ convergences, metrics }: ResearchResult): string {
  const last = convergences.at(-1)
  if (!last) return ''
  return [
    '| criterion | reached | wanted | |',
    '|---|---|---|---|',
    ...last.criteria.map(criterionRow),
    '',
    '| iteration | coverage | confidence | conflicts | new findings | verified citations | agents | time |',
    '|---|---|---|---|---|---|---|---|',
    ...convergences.map(iterationRow),
    '',
    '```',
    ...textChart(convergences),
    '```',
    '',
    `In all ${counted(metrics.agents, 'agent')} at work (${metrics.agentsFailed} failed), ${counted(metrics.files, 'file')} cited, ${metrics.citationsRefuted} refuted, ${duration(metrics.durationMs)}. ${last.reason}`,
  ].join('\n')
}

function criterionRow({ criterion, value, threshold, passed }: CriterionResult): string {
  const isCount = criterion === 'conflicts'
  const shown = (number: number): string => (isCount ? String(number) : percent(number))
  return `| ${criterion} | ${shown(value)} | ${isCount ? 'at most' : 'at least'} ${shown(threshold)} | ${passed ? 'holds' : '**does not hold**'} |`
}

function iterationRow({ iteration, coverage, confidence, unresolvedConflicts, metrics }: Convergence): string {
  const agents = metrics.agentsFailed > 0 ? `${metrics.agents} (${metrics.agentsFailed} failed)` : String(metrics.agents)
  return `| ${iteration} | ${percent(coverage)} (${gain(metrics.coverageGain)}) | ${percent(confidence)} (${gain(metrics.confidenceGain)}) | ${unresolvedConflicts} | ${metrics.findingsNew} | ${metrics.citationsAdded} | ${agents} | ${duration(metrics.durationMs)} |`
}

function contributions({ contributions: all }: ResearchResult): string {
  if (all.length === 0) return ''
  return [
    '| agent | sent | failed | findings | verified citations | files |',
    '|---|---|---|---|---|---|',
    ...all.map(
      ({ agent, runs, failures, findings: found, citations, files }) =>
        `| ${agent} | ${runs} | ${failures} | ${found} | ${citations} | ${files} |`,
    ),
  ].join('\n')
}

function why({ supersededBy }: Finding): string {
  return supersededBy === undefined ? '' : ` (${supersededBy} holds in its place)`
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}

function gain(share: number): string {
  return `${share < 0 ? '−' : '+'}${Math.abs(Math.round(share * 100))}`
}

function signed(value: number): string {
  return `${value < 0 ? '−' : '+'}${Math.abs(Number(value.toFixed(2)))}`
}

/** The screen that short answers are for. */
interface AnswerScreen {
  readonly columns: number
  paint(style: 'bold' | 'dim' | 'red' | 'green' | 'yellow', text: string): string
}

/** What research has come to in short: every question with the findings that answer it, each with a place to look at. */
export function answerLines({ questions, findings: all }: ResearchResult, { paint, columns }: AnswerScreen): readonly string[] {
  const width = Math.max(40, columns - 6)
  return questions.flatMap(({ text, status, findings: ids, missing }) => {
    const found = ids.flatMap((id) => all.find((finding) => finding.id === id) ?? [])
    const shown = found.slice(0, SHORT_ANSWERS_MAX).flatMap(({ description, citations }) => {
      const place = citations.find(isVerified)
      return [`  - ${shortened(description, width)}`, ...(place ? [paint('dim', `    ${place.file}:${place.line}`)] : [])]
    })
    const more = found.length > SHORT_ANSWERS_MAX ? [`  - and ${found.length - SHORT_ANSWERS_MAX} more`] : []
    const gap = status === 'answered' || missing === undefined ? [] : [paint('yellow', `  missing: ${shortened(missing, width)}`)]
    return ['', `${paint('bold', text)}  ${paint(STYLES[status], ANSWERED[status].toLowerCase())}`, ...shown, ...more, ...gap]
  })
}

const SHORT_ANSWERS_MAX = 6
const STYLES = { answered: 'green', claimed: 'yellow', partly: 'yellow', not: 'red' } as const
