/** Where a name changes from one word to the next: `loginUser`, `HTTPServer`, `sha256`. */
const BOUNDARY = /(?<=\p{Ll})(?=[\p{Lu}\p{Nd}])|(?<=[\p{Lu}\p{Nd}])(?=\p{Lu}\p{Ll})/gu

/** Text in which names written in one piece are taken apart by spaces; everything else stays. */
export function withSpacedNames(text: string): string {
  // Twice without looking behind takes a third of the time: every word of every file comes through here.
  return text.replaceAll(/([a-z])([A-Z0-9])/g, '$1 $2').replaceAll(/([A-Z0-9])([A-Z][a-z])/g, '$1 $2')
}

/** The words of a name, a path or a phrase, in small letters: `loginUser` is `login`, `user`. */
export function splitWords(text: string): readonly string[] {
  const spaced = text.replaceAll(BOUNDARY, ' ')
  return (spaced.match(/[\p{L}\p{M}]+|\p{Nd}+/gu) ?? []).map((word) => word.toLowerCase())
}
