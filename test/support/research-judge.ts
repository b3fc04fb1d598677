import type { JudgeWord } from '../../src/loops/research/finding.ts'
import { significantWords } from '../../src/loops/research/terms.ts'

/** A statement as the brief of a judge has it. */
export interface AskedStatement {
  readonly id: string
  readonly question: string
  readonly statement: string
  /** The numbered lines of its places. */
  readonly lines: string
  readonly isDoubtful: boolean
}

/** Whether a brief asks for judgements of statements. */
export function asksForJudgements(brief: string): boolean {
  return brief.includes('# The statements\n')
}

/** The statements of a judge's brief, in its order. */
function statementsIn(brief: string): readonly AskedStatement[] {
  return brief
    .split(/^## (?=s\d+$)/m)
    .slice(1)
    .map((text) => ({
      id: /^s\d+/.exec(text)?.[0] ?? '',
      question: /^Question: (.*)$/m.exec(text)?.[1] ?? '',
      statement: /^Statement: (.*)$/m.exec(text)?.[1] ?? '',
      lines: [...text.matchAll(/^(`{3,})\n([^]*?)^\1$/gm)].map(([, , lines]) => lines).join('\n'),
      isDoubtful: text.includes('Doubtful:'),
    }))
}

/** What a judge says that judges like this, as the JSON that it is asked for. */
export function judged(brief: string, verdict: (statement: AskedStatement) => JudgeWord): string {
  const judgements = statementsIn(brief).map((each) => ({ id: each.id, verdict: verdict(each), reason: 'I read the lines.' }))
  return JSON.stringify({ judgements })
}

/** A judge that reads: lines with a telling word of the statement support it. */
export function honestly({ statement, lines }: AskedStatement): JudgeWord {
  const words = significantWords(lines)
  const isThere = (word: string): boolean =>
    words.some(
      (each) => each === word || (each.length > 3 && word.startsWith(each)) || (word.length > 3 && each.startsWith(word)),
    )
  return significantWords(statement).some(isThere) ? 'supports' : 'unrelated'
}
