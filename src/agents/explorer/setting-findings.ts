import type { AnswerFinding } from '../../loops/research/agent-answer.ts'
import { significantWords } from '../../loops/research/terms.ts'
import { linesMentioning } from './lines-mentioning.ts'
import type { Look } from './look.ts'

const SETTINGS_MAX = 10

/** `name: value`, `name = value` and `"name": value`, where the value is plain: a number, a truth value or a short text. */
const SETTING =
  /^\s*(?:export\s+)?(?:pub\s+)?(?:public\s+|private\s+|static\s+|final\s+|readonly\s+)*(?:const|let|var|#define|val|DEFAULT)?\s*["']?([A-Za-z_][\w.-]{2,60})["']?\s*(?::\s*[A-Za-z_]\w*)?\s*(?:=|:|\s)\s*(-?\d[\d_]*(?:\.\d+)?(?:\s*[*]\s*[\d_]+)*|true|false|"[^"]{1,80}"|'[^']{1,80}')\s*[,;]?\s*(?:(?:\/\/|#).*)?$/

/** What is set under such a name is nobody's business. */
const SECRET_NAME = /password|passwd|secret|api_?key|token|credential/i

/** Values that are set under a name with a word of the question: each as a claim that can be compared. */
export async function settingFindings(look: Look, files: readonly string[]): Promise<readonly AnswerFinding[]> {
  const { words } = look
  const findings: AnswerFinding[] = []
  for (const { file, line, text } of await linesMentioning(look, files)) {
    const [, name, written] = SETTING.exec(text) ?? []
    if (
      name === undefined ||
      written === undefined ||
      SECRET_NAME.test(name) ||
      !significantWords(name).some((word) => words.has(word)) ||
      !isSetting(look, { file, line, name })
    )
      continue
    const citation = await look.cite(file, line)
    if (!citation) continue
    const value = written.replaceAll(/^["']|["']$/g, '')
    findings.push({
      description: `\`${name}\` is set to ${written} in ${file}.`,
      impact: 'important',
      category: 'configuration',
      evidence: 'direct',
      citations: [citation],
      // What is set in a place holds there: another place with another value contradicts nothing.
      claims: [{ subject: name, attribute: 'value', value, scope: `${file}:${line}` }],
    })
    if (findings.length >= SETTINGS_MAX) break
  }
  return findings
}

/** In source only what is declared there is set, under a name half of which is in the question: an assignment in passing, a field of an object and an example in a comment are not. */
function isSetting(
  { index, words }: Look,
  { file, line, name }: { readonly file: string; readonly line: number; readonly name: string },
): boolean {
  if (index.languageOf(file) === undefined) return true
  const own = significantWords(name)
  if (own.filter((word) => words.has(word)).length * 2 < own.length) return false
  return index.declarationsIn(file).some((declared) => declared.line === line && declared.name === name)
}
