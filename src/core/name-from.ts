/**
 * A short name made from words: small letters, digits and hyphens, unlike those in `taken`. Letters with marks become their base
 * letters (`Größe` is `grosse`). Without a letter in them it is `otherwise`.
 */
export function nameFrom(text: string, taken: ReadonlySet<string>, otherwise: string): string {
  const words = text
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^a-z0-9]/g, (letter) => PLAIN_LETTERS[letter] ?? '-')
    .replaceAll(/-+/g, '-')
    .replaceAll(/^-|-$/g, '')
  const name = words.slice(0, LENGTH_MAX).replaceAll(/-+$/g, '') || otherwise
  for (let number = 1; ; number++) {
    const numbered = number === 1 ? name : `${name}-${number}`
    if (!taken.has(numbered)) return numbered
  }
}

const LENGTH_MAX = 40

/** Latin letters that Unicode does not take apart into a base letter and a mark. */
const PLAIN_LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ł: 'l',
  ı: 'i',
  ħ: 'h',
  ŋ: 'n',
  ŧ: 't',
}
