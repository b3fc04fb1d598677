import { safeText } from '../../core/safe-text.ts'
import { counted, percent } from '../../core/wording.ts'
import { type AnswerPlace, answersOf, type AnswerStatement, type QuestionAnswer } from './answers.ts'
import { convergenceChart } from './charts.ts'
import { type Finding, isVerified, standingOf } from './finding.ts'
import type { ResearchResult } from './result.ts'

/** The report as a page that needs nothing else: the answers with their lines, what is open, all findings, and the chart. Nothing that an agent wrote is HTML in it. */
export function htmlReport(result: ResearchResult): string {
  const { goal, status, metrics, coverage, confidence, findings, withdrawn, gaps, convergences } = result
  const verdict = { FULL: 'Full convergence', PARTIAL: 'Partial convergence', not_converged: 'Not finished' }[status]
  const covered = coverage.isUnknown ? 'unknown' : percent(coverage.coverage)
  const refuted = withdrawn.filter((finding) => standingOf(finding) === 'refuted')
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<title>${html(goal)}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${html(goal)}</h1>
<p><b>${verdict}</b> after ${counted(metrics.iterations, 'iteration')}: coverage ${covered}, confidence ${percent(confidence)}.</p>
${answersOf(result).map(answerHtml).join('\n')}
${listHtml(
  'Still open',
  gaps.map(({ reason, area }) => `${area}: ${reason}`),
)}
${listHtml('Findings', findings.map(findingWords))}
${listHtml(
  'Refuted',
  refuted.map(({ description, judgements = [] }) => `${description} (${judgements.at(-1)?.reason ?? ''})`),
)}
${convergences.length === 0 ? '' : `<h2>Convergence</h2>\n${convergenceChart(convergences)}`}
</body>
</html>
`
}

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;max-width:50rem;margin:2rem auto;padding:0 1rem;color:#111827}
pre{background:#f3f4f6;padding:.5rem;overflow-x:auto;font-size:14px}mark{background:#fde68a}.claimed{color:#92400e}.verified{color:#166534}
@media (prefers-color-scheme:dark){body{background:#111827;color:#f3f4f6}pre{background:#1f2937}mark{background:#713f12;color:inherit}.claimed{color:#fbbf24}.verified{color:#4ade80}}`

const STATUS = { answered: 'Answered', claimed: 'Claimed', partly: 'Partly answered', not: 'Not answered' } as const

function answerHtml({ question, status, statements, missing, lookAt }: QuestionAnswer): string {
  const look = lookAt.map(({ file, why }) => `<li><code>${html(file)}</code>: ${html(why)}</li>`)
  return [
    `<h2>${html(question)}</h2>`,
    `<p>${STATUS[status]}.${missing === undefined ? '' : ` Missing: ${html(missing)}`}</p>`,
    ...statements.map(statementHtml),
    ...(look.length === 0 ? [] : [`<p>Look at:</p><ul>${look.join('')}</ul>`]),
  ].join('\n')
}

function statementHtml({ statement, standing, judgedBy, reason = '', agents, places }: AnswerStatement): string {
  const verified = judgedBy === 'check' ? `verified by Pawl: ${reason}` : 'verified by a judge'
  const words = standing === 'verified' ? verified : `claimed by ${agents.join(', ')}; nobody else has judged it`
  return `<p>${html(statement)} <span class="${standing}">(${html(words)})</span></p>\n${places.map(placeHtml).join('\n')}`
}

function placeHtml({ file, line, from, lines }: AnswerPlace): string {
  const code = lines.map((text, index) => {
    const numbered = html(`${from + index}  ${text}`)
    return from + index === line ? `<mark>${numbered}</mark>` : numbered
  })
  return `<p><code>${html(`${file}:${line}`)}</code></p>${code.length === 0 ? '' : `<pre>${code.join('\n')}</pre>`}`
}

function listHtml(title: string, items: readonly string[]): string {
  if (items.length === 0) return ''
  return `<h2>${title}</h2>\n<ul>${items.map((item) => `<li>${html(item)}</li>`).join('\n')}</ul>`
}

function findingWords(finding: Finding): string {
  const places = finding.citations.filter(isVerified).map(({ file, line }) => `${file}:${line}`)
  return `${finding.description} (${standingOf(finding)}, ${percent(finding.confidence)}; ${places.join(', ') || 'no verified citation'})`
}

function html(text: string): string {
  return safeText(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
