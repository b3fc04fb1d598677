import { isPlaceholder } from './given-value.ts'
import { findKeyFragments } from './key-fragment.ts'
import { findPasswordLines } from './password-line.ts'
import { findPrivateKeys } from './private-key.ts'
import { findAssignedSecrets } from './secret-assignment.ts'
import type { SecretSpan } from './secret-span.ts'
import { findUrlPasswords } from './url-password.ts'

/**
 * Finds secrets by our own rules: what secretlint's preset does not know (JWTs, Google keys, passwords given to names, URLs of
 * any scheme), and the best-known tokens once more and less strictly, since a token of an unexpected length is still a token.
 */
export function findSecretsByOwnRules(text: string): SecretSpan[] {
  const spans = FINDERS.flatMap((find) => find(text))
  for (const { kind, pattern, isSecret, takesLine, hasOpenEnd } of PATTERNS) {
    for (const match of text.matchAll(pattern)) {
      if (isSecret !== undefined && !isSecret(match[0])) continue
      const end = match.index + match[0].length
      const start = end - (match[1] ?? match[0]).length
      if (takesLine) spans.push({ start, end, kind, takesLine })
      else spans.push(hasOpenEnd ? { start, end, kind } : { start, end: endOfToken(text, end), kind, isExact: true })
    }
  }
  return spans
}

const FINDERS = [findPrivateKeys, findKeyFragments, findAssignedSecrets, findPasswordLines, findUrlPasswords]

/** A token may hold more than its rule knows of. */
function endOfToken(text: string, end: number): number {
  REST_OF_TOKEN.lastIndex = end
  return end + (REST_OF_TOKEN.exec(text)?.[0].length ?? 0)
}

const REST_OF_TOKEN = /(?:[\w.~+=-]{0,400}[\w~+=-])?/y

/**
 * A token begins where no letter or digit stands before it, and also right behind the code of a colour (`[32m`, whatever the sign before it is
 * written as) and behind a sign that an address encodes (`%3D`): those end in letters and digits themselves.
 */
function atStart(token: RegExp): RegExp {
  return new RegExp(`(?<![A-Za-z0-9](?<!\\[[0-9;]{0,20}[mK]|%[0-9A-Fa-f]{2}))${token.source}`, 'g')
}

interface Pattern {
  readonly kind: string
  /** The secret is what it ends with: its group, or all of it. */
  readonly pattern: RegExp
  /** Set where more of the secret stands beside it. */
  readonly takesLine?: true
  /** Set where nobody can tell where it ends. */
  readonly hasOpenEnd?: true
  readonly isSecret?: (match: string) => boolean
}

const PATTERNS: readonly Pattern[] = [
  { kind: 'aws', pattern: atStart(/(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])/), takesLine: true },
  { kind: 'github', pattern: atStart(/(?:gh[oprsu]|github_pat)_[A-Za-z0-9_]{20,}/) },
  { kind: 'npm', pattern: atStart(/npm_[A-Za-z0-9]{30,}/) },
  { kind: 'slack', pattern: atStart(/(?:xox[a-z]|xapp)-[A-Za-z0-9-]{10,}/) },
  { kind: 'anthropic', pattern: atStart(/sk-ant-[A-Za-z0-9_-]{20,}/) },
  { kind: 'openai', pattern: atStart(/sk-[A-Za-z0-9_-]{32,}/), isSecret: looksRandom },
  { kind: 'google', pattern: atStart(/(?:AIza|GOCSPX-|ya29\.)[A-Za-z0-9_-]{24,}/) },
  { kind: 'stripe', pattern: atStart(/(?:(?:sk|rk)_(?:live|test)|whsec)_[A-Za-z0-9]{16,}/) },
  { kind: 'gitlab', pattern: atStart(/gl(?:pat|ptt|dt|rt|cbt)-[A-Za-z0-9_-]{20,}/) },
  { kind: 'openrouter', pattern: atStart(/sk-or-[A-Za-z0-9-]{24,}/) },
  { kind: 'hugging-face', pattern: atStart(/hf_[A-Za-z0-9]{30,}/) },
  { kind: 'model-provider', pattern: atStart(/(?:xai|pplx|csk|gsk)[-_][A-Za-z0-9_-]{30,}/), isSecret: looksRandom },
  { kind: 'replicate', pattern: atStart(/r8_[A-Za-z0-9]{30,}/) },
  { kind: 'pypi', pattern: atStart(/pypi-AgE[A-Za-z0-9_-]{30,}/) },
  { kind: 'digitalocean', pattern: atStart(/do[opr]_v1_[a-f0-9]{40,}/) },
  { kind: 'supabase', pattern: atStart(/sbp_[a-f0-9]{32,}/) },
  { kind: 'databricks', pattern: atStart(/dapi[a-f0-9]{32}/), hasOpenEnd: true },
  { kind: 'twilio', pattern: atStart(/SK[a-f0-9]{32}(?![A-Za-z0-9])/), takesLine: true },
  { kind: 'telegram', pattern: atStart(/\d{8,10}:AA[A-Za-z0-9_-]{33}(?![A-Za-z0-9_-])/) },
  {
    kind: 'jwt',
    // Also without a dot, so that a long run is read once and not from every `eyJ` in it.
    pattern: /eyJ[A-Za-z0-9_-]{10,}(?:\.[A-Za-z0-9_-]{10,}(?:\.[A-Za-z0-9_-]*)?)?/g,
    isSecret: (match) => match.includes('.'),
  },
  { kind: 'authorization', pattern: /\b(?:bearer|basic)\s+([A-Za-z0-9._~+/=-]{16,})/gi, isSecret: looksRandom },
  {
    kind: 'authorization',
    pattern: /\bauthorization["']?\s*[:=]\s*["']?(?:token\s+)?([^\s"',;$<{]{12,})/gi,
    hasOpenEnd: true,
    isSecret: looksRandom,
  },
  { kind: 'password', pattern: /pass(?:word|wd|phrase)>([^<>\s]{4,200})(?=<\/)/gi, isSecret: isNoPlaceholder },
  {
    kind: 'password',
    // A line of `.netrc`, or several.
    pattern: /\b(?:machine\s{1,20}\S{1,200}|default)\s{1,20}login\s{1,20}\S{1,200}\s{1,20}password\s{1,20}(\S{3,200})/g,
    hasOpenEnd: true,
    isSecret: isNoPlaceholder,
  },
  {
    kind: 'password',
    pattern: /\bcurl (?=.{0,400}:\/\/)(?:[^\n|;]{0,200} )?(?:-u|--user)[ =]?["']?[^\s:"'$]{1,80}:([^\s"']{3,200})/g,
    hasOpenEnd: true,
    isSecret: isNoPlaceholder,
  },
]

/** Whether the last word of what was found is not only there in place of a password. */
function isNoPlaceholder(match: string): boolean {
  const value = /[^\s>:]*$/.exec(match)?.[0] ?? ''
  return !isPlaceholder(value) && !/^pass/i.test(value)
}

/** A class name or a flag has letters and hyphens; a token has digits as well, and either capitals or no hyphen at all. */
function looksRandom(match: string): boolean {
  return /[0-9]/.test(match) && /[a-z]/i.test(match) && (/[A-Z]/.test(match.slice(1)) || !match.slice(3).includes('-'))
}
