import type { Convergence, CriterionResult } from './progress.ts'
import { type Citation, type Finding, type Impact, isHidden, standingOf } from './finding.ts'
import { counted, duration, percent } from '../../core/wording.ts'
import { type AnswerPlace, answersOf, type AnswerStatement, type QuestionAnswer } from './answers.ts'
import type { ResearchResult } from './result.ts'
import { safeText } from '../../core/safe-text.ts'
import { textChart } from './charts.ts'

/**
 * What research has come to, to be read by a person: the answers first, then what was found, with every citation and what became of
 * verifying it, what is disputed, what is still open and why, and the numbers.
 */
export function markdownReport(result: ResearchResult): string {
  const sections = [
    `# ${inline(result.goal)}\n\n${headline(result)}`,
    section('Answers', answersOf(result).map(answer).join('\n\n')),
    section('Findings', findings(result.findings)),
    section('Conflicts', conflicts(result)),
    section('Still open', open(result)),
    section('Convergence', convergence(result)),
    section('Who found what', contributions(result)),
    section('Refuted', refuted(result)),
    section(
      'Given up',
      result.withdrawn
        .filter((finding) => standingOf(finding) !== 'refuted')
        .map((finding) => `- ${finding.id}: ${inline(finding.description)}${why(finding)}`)
        .join('\n'),
    ),
  ]
  return `${sections.filter((text) => text !== '').join('\n\n')}\n`
}

function refuted({ withdrawn }: ResearchResult): string {
  return withdrawn
    .filter((finding) => standingOf(finding) === 'refuted')
    .map(
      ({ id, description, judgements = [], sourceAgents }) =>
        `- ${id}, said by ${sourceAgents.join(', ')}: ${inline(description)} (${inline(judgements.at(-1)?.reason ?? '')})`,
    )
    .join('\n')
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
  return `**${verdict}** after ${counted(metrics.iterations, 'iteration')}: coverage ${coverage.isUnknown ? 'unknown' : percent(coverage.coverage)}, confidence ${percent(confidence)}, ${counted(metrics.findings, 'finding')} with ${counted(metrics.citations, 'verified citation')}.${missing}${failed}${how}`
}

const ANSWERS_SHOWN_MAX = 20
const ANSWERED = { answered: 'Answered', claimed: 'Claimed', partly: 'Partly answered', not: 'Not answered' } as const

function answer({ question, status, statements, missing, lookAt }: QuestionAnswer): string {
  const shown = statements.slice(0, ANSWERS_SHOWN_MAX).map(statementText)
  const more = statements.length > ANSWERS_SHOWN_MAX ? [`And ${statements.length - ANSWERS_SHOWN_MAX} more, see Findings.`] : []
  const gap = missing === undefined ? [] : [`Missing: ${inline(missing)}`]
  const look =
    lookAt.length === 0 ? [] : [`Look at: ${lookAt.map((place) => `${code(place.file)} (${inline(place.why)})`).join(', ')}`]
  return [`### ${inline(question)}`, `${ANSWERED[status]}.`, ...shown, ...more, ...gap, ...look].join('\n\n')
}

function statementText({ statement, standing, judgedBy, reason, agents, finding, places: cited }: AnswerStatement): string {
  const who = judgedBy === 'check' ? `verified by Pawl: ${inline(reason ?? '')}` : 'verified by a judge'
  const mark = standing === 'verified' ? who : `**claimed** by ${agents.join(', ')}, judged by nobody else`
  return [`- ${inline(statement)} (${finding}; ${mark})`, ...cited.map(placeText)].join('\n\n')
}

function placeText({ file, line, from, lines }: AnswerPlace): string {
  const body = lines.map((text, index) => `    ${from + index === line ? '>' : ' '} ${from + index}  ${text}`)
  return [`  ${code(`${file}:${line}`)}`, ...(body.length === 0 ? [] : ['', ...body.map((text) => `    ${text}`)])].join('\n')
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
    `**${id}** ${inline(description)}`,
    '',
    `- Confidence ${percent(confidence)}: ${parts}`,
    `- ${inline(category)}; found in iteration ${iterationDiscovered} by ${sourceAgents.join(', ')}`,
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
  const words = (id: string): string => inline([...live, ...withdrawn].find((finding) => finding.id === id)?.description ?? id)
  const lines = all.map(({ id, topic, scope, sides, rootCause, resolution }) => {
    const where = scope === undefined ? '' : ` (${scope})`
    const cause = rootCause === undefined ? '' : ` Likely cause: ${oneLine(rootCause)}.`
    const end = resolution
      ? `Settled by ${resolution.agent}: ${resolution.keep} holds. ${inline(resolution.reason)}`
      : '**Not settled.**'
    return `- ${id}, ${inline(topic)}${where}: ${sides.map(({ finding, value }) => `${finding} says ${inline(value)}`).join(', ')}.${cause} ${end}`
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
        `- ${id} (${kind}, priority ${priority}, ${status}): ${inline(reason)}${triedWords(attempts)}`,
    ),
    ...(missing.length === 0
      ? []
      : [
          `- Relevant files without a verified citation: ${missing.map((file) => `\`${file}\``).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`,
        ]),
    ...told.map(({ area, reason, agent }) => `- ${agent} is uncertain about ${inline(area)}: ${inline(reason)}`),
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
  return safeText(text).replaceAll(/\s+/g, ' ').trim()
}

/** Words of an agent in a line of Markdown: nothing in them is HTML, a link or an image. */
function inline(text: string): string {
  return oneLine(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll(/!?\[/g, '\\[')
}

function gain(share: number): string {
  return `${share < 0 ? '−' : '+'}${Math.abs(Math.round(share * 100))}`
}

function signed(value: number): string {
  return `${value < 0 ? '−' : '+'}${Math.abs(Number(value.toFixed(2)))}`
}
