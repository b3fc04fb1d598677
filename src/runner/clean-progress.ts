import { withoutCutSecret } from '../journal/known-secrets.ts'
import { redactText } from '../journal/redact.ts'
import { hasSecretHint } from '../journal/secret-hint.ts'
import type { Progress } from './parts.ts'

/**
 * Tells what is happening now without secrets. A line in which there may be one takes a moment to look at; it is told only if none came
 * after it.
 */
export function cleanProgress(tell: (progress: Progress) => void): (progress: Progress) => void {
  let latest = 0
  return ({ key, line }) => {
    const whole = withoutCutSecret(line)
    const mine = ++latest
    if (!hasSecretHint(whole)) return tell({ key, line: whole })
    void redactText(whole).then((clean) => (mine === latest ? tell({ key, line: clean }) : undefined))
  }
}
