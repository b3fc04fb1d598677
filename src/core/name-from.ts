/** A short name made from words: small letters, digits and hyphens, unlike those in `taken`. Without a letter in them it is `otherwise`. */
export function nameFrom(text: string, taken: ReadonlySet<string>, otherwise: string): string {
  const words = text
    .toLowerCase()
    .normalize('NFKD')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
  const name = words.slice(0, LENGTH_MAX).replaceAll(/-+$/g, '') || otherwise
  for (let number = 1; ; number++) {
    const numbered = number === 1 ? name : `${name}-${number}`
    if (!taken.has(numbered)) return numbered
  }
}

const LENGTH_MAX = 40
