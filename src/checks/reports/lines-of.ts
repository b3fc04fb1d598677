/** The lines of a text one by one, so that a long text is never held twice. Of a line only the first `charactersMax` are given. */
export function* linesOf(text: string, charactersMax = 4000): Generator<string> {
  for (let from = 0; from <= text.length;) {
    const newline = text.indexOf('\n', from)
    const end = newline < 0 ? text.length : newline
    yield text.slice(from, Math.min(end, from + charactersMax))
    from = end + 1
  }
}
