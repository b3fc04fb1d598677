import { counted, duration, thousands } from '../core/wording.ts'
import { movementWords, verdictWord } from './run-lines.ts'
import { bestWords, usedWords } from './card.ts'
import { costCell, tokensCell } from './spent.ts'
import type { LedgerGrid } from './ledger-grid.ts'
import type { RunView } from './run-view.ts'
import type { DecisionView, PersonAct, QuestionView, TaskView, TripView } from './run-fold.ts'
import type { IterationView } from './iteration-view.ts'
import { proofDetails, type ProofView } from './proof-view.ts'
import { factsWords, measureWords, tripKind } from './card.ts'
import { safeText } from '../core/safe-text.ts'
import { dateAndTime, oneLine } from './layout.ts'

/** A run as a Markdown document: goal, outcome, iterations, tests, decisions with their reasons, questions and answers. */
export function runReport(view: RunView, tests?: LedgerGrid): string {
  const { config } = view
  const sections = [
    `# ${escaped(view.run)}\n\n${quoted(view.goal ?? `The ${view.loop} loop has no goal.`)}`,
    section('Outcome', outcome(view)),
    section('Proof', proofs(view)),
    section(
      'Made of',
      list([
        `Agent: ${code(config.agent)}`,
        ...(config.fallbacks ?? []).map((agent) => `Fallback: ${code(agent)}`),
        ...config.checks.map((check) => `Check: ${code(check)}`),
        ...config.guards.map((guard) => `Guard: ${code(guard)}`),
        `Workspace: ${code(config.workspace)}`,
      ]),
    ),
    section('Tasks', (view.tasks ?? []).map(task).join('\n')),
    section('Iterations', table(view.iterations)),
    section('Tests', tests ? testTable(tests) : ''),
    section('Decisions', decisions(view.decisions)),
    section('Questions and answers', view.asked.map(question).join('\n\n')),
    section('What people did', list(view.people.map(act))),
    section(
      'Saved trees',
      list(view.saved.map(({ seq, snapshot, command }) => `${code(snapshot)} (event ${seq}): ${code(command)}`)),
    ),
  ]
  return `${sections.filter((text) => text !== '').join('\n\n')}\n`
}

function outcome(view: RunView): string {
  const { status, message, best, startedAt, updatedAt, seq } = view
  return [
    `**${status}**: ${escaped(message)}`,
    list([
      usedWords(view),
      `From ${dateAndTime(startedAt)} to ${dateAndTime(updatedAt)}, ${thousands(seq)} events`,
      ...(best ? [`Best: ${bestWords(best)}, ${code(best.command)}`] : []),
    ]),
  ].join('\n\n')
}

/** Why the work is believed to be done, of each task if there are several. */
function proofs({ proof, tasks = [] }: RunView): string {
  if (tasks.length <= 1) return proof ? proofText(proof) : ''
  return tasks.flatMap((each) => (each.proof ? [`**${escaped(each.id)}**: ${proofText(each.proof)}`] : [])).join('\n\n')
}

function proofText(proof: ProofView): string {
  return [`**${proof.level}**: ${escaped(proof.summary)}`, list(proofDetails(proof).map(escaped))].join('\n\n')
}

function task({ number, id, goal, status, attempts }: TaskView): string {
  const tries = attempts === 0 ? '' : `, ${counted(attempts, 'attempt')}`
  return `${number}. **${escaped(id)}** (${status}${tries}): ${escaped(goal)}`
}

function table(iterations: readonly IterationView[]): string {
  if (iterations.length === 0) return ''
  const rows = iterations.map((view) => {
    const { iteration, workers = [], filesChanged, durationMs, endedSeq, said } = view
    return [
      String(iteration),
      escaped(workers.map(({ agent }) => agent).join(', ')),
      verdictWord(view),
      movementWords(view),
      String(filesChanged ?? ''),
      durationMs === undefined ? '' : duration(durationMs),
      endedSeq === undefined ? '' : costCell(view),
      tokensCell(view),
      escaped(said ?? ''),
    ]
  })
  const head = ['#', 'agent', 'verdict', 'failing', 'files changed', 'time', 'cost', 'tokens', 'the agent said']
  const sides = ['--:', ':--', ':--', '--:', '--:', '--:', '--:', '--:', ':--']
  return tableText([head, sides, ...rows])
}

function tableText(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => `| ${row.join(' | ')} |`).join('\n')
}

/** The tests that didn't simply pass, over the last iterations. */
function testTable({ iterations, rows, steady }: LedgerGrid): string {
  if (rows.length === 0) return ''
  const first = Math.max(0, iterations.length - TEST_COLUMNS_MAX)
  const columns = iterations.slice(first)
  const lines = rows.slice(0, TEST_ROWS_MAX).map(({ test, cells, newIn }) => [
    escaped(test),
    ...cells.slice(first).map((cell, index) => {
      const mark = cell === null ? '' : CELL_WORDS[cell]
      return columns[index] === newIn ? `new, ${mark}` : mark
    }),
  ])
  const head = ['test', ...columns.map((iteration) => (iteration === 0 ? 'start' : String(iteration)))]
  const more = [
    ...(rows.length > lines.length ? [`${counted(rows.length - lines.length, 'more test')} left out.`] : []),
    ...(steady === 0 ? [] : [`${counted(steady, 'other test')} passed each time.`]),
  ]
  return [tableText([head, head.map(() => ':--'), ...lines]), ...(more.length === 0 ? [] : [more.join(' ')])].join('\n\n')
}

const TEST_ROWS_MAX = 50
const TEST_COLUMNS_MAX = 12
const CELL_WORDS = { passed: '✓', failed: '✗', 'not run': 'not run', vanished: 'vanished' } as const

/** A plain retry adds nothing to the table, so only the last one is listed. */
function decisions(all: readonly DecisionView[]): string {
  const telling = all.filter(({ action, trips }, index) => action !== 'retry' || trips.length > 0 || index === all.length - 1)
  const leftOut = all.length - telling.length
  const more = leftOut === 0 ? [] : [`Left out: ${leftOut} times \`retry\` with nothing more to say.`]
  return [...telling.map(decision), ...more].join('\n\n')
}

function decision({ iteration, action, message, seq, basis, trips }: DecisionView): string {
  const rests = basis.length === 0 ? '' : `, on ${factsWords(basis)}`
  return [`**${action}** after iteration ${iteration} (event ${seq}${rests}): ${escaped(message)}`, list(trips.map(trip))]
    .filter((text) => text !== '')
    .join('\n\n')
}

function trip(view: TripView): string {
  const { guard, message, hint, evidence, seq } = view
  const measures = [measureWords(evidence.measures), factsWords(evidence.facts)].filter((words) => words !== '').join('; ')
  return `**${escaped(guard)}**${tripKind(view)}, event ${seq}: ${escaped(message)} Evidence: ${escaped(measures)}. ${escaped(hint)}`
}

function question({
  seq,
  at,
  status,
  text,
  pattern,
  options,
  attempts,
  feedback = [],
  steps = [],
  answer,
}: QuestionView): string {
  const choices = options
    .map(({ number, label, then, recommended }) => {
      const after = then === undefined ? '' : `: ${escaped(then)}`
      return `${number}. ${escaped(label)}${recommended ? ' (recommended)' : ''}${after}`
    })
    .join('\n')
  const note = answer?.note === undefined ? '' : ` “${escaped(answer.note)}”`
  const answered = answer
    ? `**Answer** (${answer.by ?? 'a person'}, ${dateAndTime(answer.at)}, event ${answer.seq}): ${escaped(answer.label)}.${note}`
    : '**Not answered yet.**'
  return [
    `**${status}**, ${dateAndTime(at)} (event ${seq})`,
    quoted(text),
    ...(pattern === undefined ? [] : [`Pattern: ${escaped(pattern)}`]),
    ...(attempts.length === 0 ? [] : [list(attempts.map(escaped))]),
    ...(feedback.length === 0 ? [] : [`What fails:\n\n${list(feedback.map(escaped))}`]),
    choices,
    ...(steps.length === 0 ? [] : [`What to do first:\n\n${list(steps.map(escaped))}`]),
    answered,
  ].join('\n\n')
}

function act({ seq, at, by = 'someone', what, note }: PersonAct): string {
  return `${dateAndTime(at)}, ${escaped(by)} ${escaped(what)}${note === undefined ? '' : `: “${escaped(note)}”`} (event ${seq})`
}

function section(title: string, text: string): string {
  return text === '' ? '' : `## ${title}\n\n${text}`
}

function list(items: readonly string[]): string {
  return items.map((item) => `- ${item}`).join('\n')
}

function quoted(text: string): string {
  return safeText(text)
    .split('\n')
    .map((line) => `> ${escaped(line)}`.trimEnd())
    .join('\n')
}

function code(text: string): string {
  const line = oneLine(text)
  return line.includes('`') ? `\`\` ${line} \`\`` : `\`${line}\``
}

/** Text of agents and people must not become Markdown or HTML of the report. */
function escaped(text: string): string {
  return oneLine(text).replaceAll(/[\\`*_|<>[\]#]/g, String.raw`\$&`)
}
