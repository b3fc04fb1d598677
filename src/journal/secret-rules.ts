import { findPrivateKeys } from './private-key.ts'
import { findAssignedSecrets } from './secret-assignment.ts'
import type { SecretSpan } from './secret-span.ts'
import { findUrlPasswords } from './url-password.ts'

/**
 * Finds secrets by our own rules: what secretlint's preset does not know (JWTs, Google keys, passwords given to names, URLs of
 * any scheme), and the best-known tokens once more and less strictly, since a token of an unexpected length is still a token.
 */
export function findSecretsByOwnRules(text: string): SecretSpan[] {
  const spans = [...findPrivateKeys(text), ...findAssignedSecrets(text), ...findUrlPasswords(text)]
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

/** A token may hold more than its rule knows of. */
function endOfToken(text: string, end: number): number {
  REST_OF_TOKEN.lastIndex = end
  return end + (REST_OF_TOKEN.exec(text)?.[0].length ?? 0)
}

const REST_OF_TOKEN = /(?:[\w.~+=-]{0,400}[\w~+=-])?/y

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
  { kind: 'aws', pattern: /(?<![A-Za-z0-9])(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])/g, takesLine: true },
  { kind: 'github', pattern: /(?<![A-Za-z0-9])(?:gh[oprsu]|github_pat)_[A-Za-z0-9_]{20,}/g },
  { kind: 'npm', pattern: /(?<![A-Za-z0-9])npm_[A-Za-z0-9]{30,}/g },
  { kind: 'slack', pattern: /(?<![A-Za-z0-9])(?:xox[a-z]|xapp)-[A-Za-z0-9-]{10,}/g },
  { kind: 'anthropic', pattern: /(?<![A-Za-z0-9])sk-ant-[A-Za-z0-9_-]{20,}/g },
  { kind: 'openai', pattern: /(?<![A-Za-z0-9])sk-[A-Za-z0-9_-]{32,}/g, isSecret: looksRandom },
  { kind: 'google', pattern: /(?<![A-Za-z0-9])(?:AIza|GOCSPX-|ya29\.)[A-Za-z0-9_-]{24,}/g },
  { kind: 'stripe', pattern: /(?<![A-Za-z0-9])(?:(?:sk|rk)_(?:live|test)|whsec)_[A-Za-z0-9]{16,}/g },
  { kind: 'gitlab', pattern: /(?<![A-Za-z0-9])gl(?:pat|ptt|dt|rt|cbt)-[A-Za-z0-9_-]{20,}/g },
  { kind: 'openrouter', pattern: /(?<![A-Za-z0-9])sk-or-[A-Za-z0-9-]{24,}/g },
  { kind: 'hugging-face', pattern: /(?<![A-Za-z0-9])hf_[A-Za-z0-9]{30,}/g },
  { kind: 'model-provider', pattern: /(?<![A-Za-z0-9])(?:xai|pplx|csk|gsk)[-_][A-Za-z0-9_-]{30,}/g, isSecret: looksRandom },
  { kind: 'replicate', pattern: /(?<![A-Za-z0-9])r8_[A-Za-z0-9]{30,}/g },
  { kind: 'pypi', pattern: /(?<![A-Za-z0-9])pypi-AgE[A-Za-z0-9_-]{30,}/g },
  { kind: 'digitalocean', pattern: /(?<![A-Za-z0-9])do[opr]_v1_[a-f0-9]{40,}/g },
  { kind: 'supabase', pattern: /(?<![A-Za-z0-9])sbp_[a-f0-9]{32,}/g },
  { kind: 'twilio', pattern: /(?<![A-Za-z0-9])SK[a-f0-9]{32}(?![A-Za-z0-9])/g, takesLine: true },
  { kind: 'telegram', pattern: /(?<![A-Za-z0-9])\d{8,10}:AA[A-Za-z0-9_-]{33}(?![A-Za-z0-9_-])/g },
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
]

/** A class name or a flag has letters and hyphens; a token has digits as well, and either capitals or no hyphen at all. */
function looksRandom(match: string): boolean {
  return /[0-9]/.test(match) && /[a-z]/i.test(match) && (/[A-Z]/.test(match.slice(1)) || !match.slice(3).includes('-'))
}
