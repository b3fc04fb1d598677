import { oneLine, type Screen, textWidth, wrapped, fitted } from './layout.ts'
import type { AnswerPlace, AnswerStatement, QuestionAnswer } from '../loops/research/answers.ts'

const WORDS = { answered: 'answered', claimed: 'claimed', partly: 'partly answered', not: 'not answered' } as const
const STYLES = { answered: 'green', claimed: 'yellow', partly: 'yellow', not: 'red' } as const

/** The whole answer for a terminal: every question, its statements with the lines that show them, then what is open and where to look. */
export function answerLines(answers: readonly QuestionAnswer[], screen: Screen): readonly string[] {
  return answers.flatMap((answer) => questionLines(answer, screen))
}

function questionLines({ question, status, statements, missing, lookAt }: QuestionAnswer, screen: Screen): readonly string[] {
  const { paint, columns } = screen
  const open = [...(missing === undefined ? [] : [`Missing: ${oneLine(missing)}`]), ...lookAt.map(lookWords)]
  return [
    '',
    ...wrapped(oneLine(question), columns - 2).map((line) => paint('bold', line)),
    `  ${paint(STYLES[status], WORDS[status])}`,
    ...statements.flatMap((statement) => statementLines(statement, screen)),
    ...open.flatMap((text) =>
      wrapped(text, columns - 4).map((line, index) => paint('yellow', `${index === 0 ? '  ' : '    '}${line}`)),
    ),
  ]
}

function lookWords({ file, why }: QuestionAnswer['lookAt'][number]): string {
  return `Look at ${oneLine(file)}: ${oneLine(why)}`
}

function statementLines(statement: AnswerStatement, screen: Screen): readonly string[] {
  const { paint, columns } = screen
  const isVerified = statement.standing === 'verified'
  const mark = isVerified ? paint('green', '✓') : paint('yellow', '?')
  const words = wrapped(oneLine(statement.statement), columns - 4)
  return [
    ...words.map((line, index) => `  ${index === 0 ? mark : ' '} ${line}`),
    ...wrapped(vouchedWords(statement), columns - 4).map((line) => paint(isVerified ? 'dim' : 'yellow', `    ${line}`)),
    ...statement.places.flatMap((place) => placeLines(place, screen)),
  ]
}

function vouchedWords({ standing, judgedBy, reason = '', agents }: AnswerStatement): string {
  if (standing === 'claimed') return `claimed by ${agents.map(oneLine).join(', ')}; nobody else has judged it`
  return judgedBy === 'check' ? `verified by Pawl: ${oneLine(reason)}` : 'verified by a judge'
}

function placeLines({ file, line, from, lines }: AnswerPlace, { paint, columns }: Screen): readonly string[] {
  const width = String(from + lines.length).length
  const code = lines.map((text, index) => {
    const number = `      ${from + index === line ? '>' : ' '} ${String(from + index).padStart(width)}  `
    return paint('dim', number) + fittedCode(text, columns - textWidth(number))
  })
  return [paint('cyan', `    ${fitted(`${file}:${line}`, columns - 4)}`), ...code]
}

/** Indentation says something in code, so it stays. */
function fittedCode(text: string, widthMax: number): string {
  const [indent = ''] = /^ */.exec(text) ?? []
  const kept = indent.slice(0, Math.max(0, widthMax - CODE_WIDTH_MIN))
  return kept + fitted(text.slice(indent.length), widthMax - kept.length)
}

const CODE_WIDTH_MIN = 20
