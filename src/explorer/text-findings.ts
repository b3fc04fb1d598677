import type { AnswerFinding } from '../loops/research/answer.ts'
import { hasWord, splitWords } from '../codebase/words.ts'
import { isMentioned, joinNames, linesMentioning, type Look } from './look.ts'

const SETTINGS_MAX = 10

/** `name: value`, `name = value` and `"name": value` with a plain value: a number, a boolean or a short string. */
const SETTING =
  /^\s*(?:export\s+)?(?:pub\s+)?(?:public\s+|private\s+|static\s+|final\s+|readonly\s+)*(?:const|let|var|#define|val|DEFAULT)?\s*["']?([A-Za-z_][\w.-]{2,60})["']?\s*(?::\s*[A-Za-z_]\w*)?\s*(?:=|:|\s)\s*(-?\d[\d_]*(?:\.\d+)?(?:\s*[*]\s*[\d_]+)*|true|false|"[^"]{1,80}"|'[^']{1,80}')\s*[,;]?\s*(?:(?:\/\/|#).*)?$/

/** Values under such names must not be reported. */
const SECRET_NAME = /password|passwd|secret|api_?key|token|credential/i

/** Values of settings whose names contain one of the question's words, as claims that can be compared. */
export async function settingFindings(look: Look, files: readonly string[]): Promise<readonly AnswerFinding[]> {
  const findings: AnswerFinding[] = []
  for (const { file, line, text } of await linesMentioning(look, files)) {
    const [, name, written] = SETTING.exec(text) ?? []
    if (
      name === undefined ||
      written === undefined ||
      SECRET_NAME.test(name) ||
      !isMentioned(look, name) ||
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
      // A value holds where it is set: a different value elsewhere is no contradiction.
      claims: [{ subject: name, attribute: 'value', value, scope: `${file}:${line}` }],
    })
    if (findings.length >= SETTINGS_MAX) break
  }
  return findings
}

/**
 * In source, only declarations count as settings, and at least half of the name must be in the question. Assignments, object
 * fields and examples in comments don't count.
 */
function isSetting(
  look: Look,
  { file, line, name }: { readonly file: string; readonly line: number; readonly name: string },
): boolean {
  if (look.index.languageOf(file) === undefined) return true
  const own = splitWords(name)
  if (own.filter((word) => isMentioned(look, word)).length * 2 < own.length) return false
  return look.index.declarationsIn(file).some((declared) => declared.line === line && declared.name === name)
}

const FILES_MAX = 40
const NAMES_MAX = 6

/** What unread files have to do with the question, one finding for each that has. */
export async function fileFindings(look: Look, files: readonly string[]): Promise<readonly AnswerFinding[]> {
  const known = new Set(look.index.files())
  const findings: AnswerFinding[] = []
  for (const file of files.filter((each) => known.has(each)).slice(0, FILES_MAX)) {
    const finding = await fileFinding(look, file)
    if (finding) findings.push(finding)
  }
  return findings
}

async function fileFinding(look: Look, file: string): Promise<AnswerFinding | undefined> {
  const declared = look.index
    .declarationsIn(file)
    .filter(({ name }) => isMentioned(look, name))
    .slice(0, NAMES_MAX)
  const lines = await look.lines(file)
  const mention = lines.findIndex((line) => isMentioned(look, line)) + 1
  const places = [...declared.map(({ line }) => line), ...(mention === 0 ? [] : [mention])]
  const citations = await look.citeAll(
    [...new Set(places)].map((line) => ({ file, line })),
    NAMES_MAX,
  )
  if (citations.length === 0) return undefined
  const names = [...new Set(declared.map(({ name }) => `\`${name}\``))]
  const words = look.words.filter((word) => hasWord(lines[mention - 1] ?? '', word)).map((word) => `\`${word}\``)
  return {
    description: `${file} ${names.length > 0 ? `declares ${joinNames(names)}` : `mentions ${joinNames(words)}`}.`,
    impact: 'informational',
    category: look.index.languageOf(file) === undefined ? 'documents' : 'structure',
    evidence: 'direct',
    citations,
    // Another agent that reads this file adds to the same claim.
    claims: [{ subject: file, attribute: 'has to do with it', value: 'yes' }],
  }
}

/** A sign in one line that a specialist would look at. */
export interface Risk {
  readonly pattern: RegExp
  /** What the line does, after the path: `runs text as code`. */
  readonly does: string
  readonly impact: AnswerFinding['impact']
}

/** What one line can show about security: that something is there, not that it can be abused. */
export const SECURITY_RISKS: readonly Risk[] = [
  {
    pattern: /\beval\s*\(|\bnew Function\s*\(|\bexec\s*\(\s*f?["'`]/,
    does: 'runs text as code or as a command',
    impact: 'important',
  },
  {
    pattern: /shell\s*[:=]\s*(?:true|True)|\bexecSync\s*\(|os\.system\s*\(/,
    does: 'starts a command through a shell',
    impact: 'important',
  },
  {
    pattern: /(?:SELECT|INSERT|UPDATE|DELETE)\b.*(?:\$\{|"\s*\+|'\s*\+|%s|\bformat\()/,
    does: 'puts values into the text of a query',
    impact: 'important',
  },
  { pattern: /\.innerHTML\s*=|dangerouslySetInnerHTML|v-html/, does: 'writes markup from a value', impact: 'important' },
  {
    pattern: /rejectUnauthorized\s*:\s*false|verify\s*=\s*False|InsecureSkipVerify\s*:\s*true/,
    does: 'switches off the check of certificates',
    impact: 'critical',
  },
  {
    pattern: /createHash\(\s*["'](?:md5|sha1)["']|hashlib\.(?:md5|sha1)\(|\bMD5\b.*\(/,
    does: 'uses a weak hash',
    impact: 'important',
  },
  {
    pattern: /(?:password|passwd|secret|api_?key|token)\w*\s*[:=]\s*["'][^"'\s]{8,}["']/i,
    does: 'holds what looks like a secret',
    impact: 'critical',
  },
  {
    pattern: /\b(?:pickle\.loads?|yaml\.load\s*\((?!.*Safe)|unserialize\s*\(|ObjectInputStream)/,
    does: 'reads objects out of untyped data',
    impact: 'important',
  },
  {
    pattern:
      /\b(?:password|passwd|credential|token|secret|jwt|oauth|session|cookie|authoriz|authenticat|encrypt|decrypt|signature)(?:s|ed|es|er|ing|ion|ation)?\b/i,
    does: 'names what may have to be kept safe',
    impact: 'informational',
  },
]

/** What one line can show about performance. */
export const PERFORMANCE_RISKS: readonly Risk[] = [
  {
    pattern: /\b(?:readFileSync|writeFileSync|execSync|spawnSync|readdirSync)\s*\(/,
    does: 'waits for the disk or a process with everything else',
    impact: 'informational',
  },
  { pattern: /\bfor\b.*\bawait\b|^\s*await\b.*\bfor\b/, does: 'waits once for each element', impact: 'important' },
  {
    pattern: /JSON\.parse\(\s*JSON\.stringify|structuredClone\(|deepcopy\(|cloneDeep\(/,
    does: 'copies whole structures',
    impact: 'informational',
  },
  { pattern: /SELECT\s+\*/i, does: 'reads all columns', impact: 'informational' },
  { pattern: /\b(?:time\.)?sleep\s*\(|Thread\.sleep/, does: 'sleeps', impact: 'informational' },
  {
    pattern: /\.(?:indexOf|includes|find|filter)\(.*\.(?:indexOf|includes|find|filter)\(/,
    does: 'searches a list inside a search',
    impact: 'informational',
  },
  {
    pattern: /\b(?:cache|memo|batch|pool|concurren|parallel|throttle|debounce|timeout)\w*/i,
    does: 'names what speed may depend on',
    impact: 'informational',
  },
  { pattern: /\b(?:for|while)\b/, does: 'has a loop', impact: 'informational' },
]

const RISK_FILES_MAX = 40
const RISK_PLACES_MAX = 5

/** The signs in the files, each kind once per file, and only a file's most serious kinds. */
export async function riskFindings(
  look: Look,
  files: readonly string[],
  { category, risks }: { readonly category: 'security' | 'performance'; readonly risks: readonly Risk[] },
): Promise<readonly AnswerFinding[]> {
  const known = new Set(look.index.files())
  const findings: AnswerFinding[] = []
  const looked = files.filter((file) => known.has(file) && look.index.languageOf(file) !== undefined).slice(0, RISK_FILES_MAX)
  for (const file of looked) findings.push(...(await risksIn(look, file, category, risks)))
  look.uncertainties.push({
    area: category,
    reason: `${looked.length} files were searched for ${risks.length} known signs, line by line: what takes more than a line to see was not looked for.`,
  })
  return findings
}

async function risksIn(look: Look, file: string, category: string, risks: readonly Risk[]): Promise<readonly AnswerFinding[]> {
  const lines = await look.lines(file)
  for (const impact of ['critical', 'important', 'informational'] as const) {
    const found: AnswerFinding[] = []
    for (const { pattern, does } of risks.filter((risk) => risk.impact === impact)) {
      const places = lines.flatMap((text, index) => (pattern.test(text) ? [{ file, line: index + 1 }] : []))
      const citations = await look.citeAll(places, RISK_PLACES_MAX)
      if (citations.length > 0) found.push({ description: `${file} ${does}.`, impact, category, evidence: 'direct', citations })
    }
    if (found.length > 0) return impact === 'informational' ? found.slice(0, 1) : found
  }
  return []
}
