/** The last non-empty lines of an output, for a message: at most `linesMax`, at most `charactersMax`. */
export function lastLines(text: string, linesMax = 5, charactersMax = 1000): string {
  const lines = text
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '')
    .slice(-linesMax)
    .join('\n')
  return lines.length > charactersMax ? `…${lines.slice(-charactersMax).toWellFormed()}` : lines
}
