import type { AnswerFinding } from '../loops/research/answer.ts'
import type { Look } from './look.ts'

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

const FILES_MAX = 40
const PLACES_MAX = 5

/** The signs in the files, each kind once per file, and only a file's most serious kinds. */
export async function riskFindings(
  look: Look,
  files: readonly string[],
  { category, risks }: { readonly category: 'security' | 'performance'; readonly risks: readonly Risk[] },
): Promise<readonly AnswerFinding[]> {
  const known = new Set(look.index.files())
  const findings: AnswerFinding[] = []
  const looked = files.filter((file) => known.has(file) && look.index.languageOf(file) !== undefined).slice(0, FILES_MAX)
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
      const citations = await look.citeAll(places, PLACES_MAX)
      if (citations.length > 0) found.push({ description: `${file} ${does}.`, impact, category, evidence: 'direct', citations })
    }
    if (found.length > 0) return impact === 'informational' ? found.slice(0, 1) : found
  }
  return []
}
