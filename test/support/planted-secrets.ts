import type { PlantedSecret } from '../../src/testing/planted-secrets.ts'

/**
 * Keys that no rule can recognise: they are secret only because they are passed as such. A different `mark` gives different
 * keys.
 */
export function oddKeys(mark = 'odd'): readonly PlantedSecret[] {
  return [
    planted('odd key', ['hunter2', `-my-${mark}-key`]),
    planted('odd key of words', ['open sesame', ` to the ${mark} cave`]),
    planted('odd key with quotation marks', [`say "${mark}`, '" \\ <and/or> more']),
  ]
}

/** A text that a cut after `length` characters splits in the middle of the secret. */
export function straddling({ text, secret }: PlantedSecret, length: number): string {
  const before = length - text.indexOf(secret) - Math.ceil(secret.length / 2)
  return before < 1 ? text : `${'so it goes on '.repeat(Math.ceil(before / 14)).slice(0, before - 1)} ${text}`
}

/** The same from the end, if only the last `length` characters are kept. */
export function straddlingEnd({ text, secret }: PlantedSecret, length: number): string {
  const after = length - (text.length - text.indexOf(secret) - Math.floor(secret.length / 2))
  return after < 1 ? text : `${text} ${'so it goes on '.repeat(Math.ceil(after / 14)).slice(0, after - 1)}`
}

/** The names of the secrets of which at least the first or the last half is in a text. */
export function leakedIn(text: string, secrets: readonly PlantedSecret[]): readonly string[] {
  return secrets.filter(({ secret }) => halves(secret).some((half) => text.includes(half))).map(({ name }) => name)
}

function halves(secret: string): readonly string[] {
  const length = Math.floor(secret.length / 2)
  return [secret.slice(0, length), secret.slice(-length)]
}

function planted(name: string, parts: readonly string[]): PlantedSecret {
  const secret = parts.join('')
  return { name, text: secret, secret }
}
