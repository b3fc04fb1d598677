/** Where a name changes from one word to the next: `loginUser`, `HTTPServer`, `sha256`. */
const BOUNDARY = /(?<=\p{Ll})(?=[\p{Lu}\p{Nd}])|(?<=[\p{Lu}\p{Nd}])(?=\p{Lu}\p{Ll})/gu
const ASCII_BOUNDARY = /(?<=[a-z])(?=[A-Z0-9])|(?<=[A-Z0-9])(?=[A-Z][a-z])/g

/** Text in which names written in one piece are taken apart by spaces; everything else stays. */
export function withSpacedNames(text: string): string {
  return text.replaceAll(ASCII_BOUNDARY, ' ')
}

/** The words of a name, a path or a phrase, in small letters: `loginUser` is `login`, `user`. */
export function splitWords(text: string): readonly string[] {
  const spaced = text.replaceAll(BOUNDARY, ' ')
  return (spaced.match(/[\p{L}\p{M}]+|\p{Nd}+/gu) ?? []).map((word) => word.toLowerCase())
}
