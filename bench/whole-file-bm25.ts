/** The floor for research: BM25 over whole files, identifiers split into words, endings cut off, the path counted five times. */
export function wholeFileBm25(files: ReadonlyMap<string, string>): (question: string, filesMax: number) => readonly string[] {
  const counts = new Map(
    [...files].map(([path, text]) => [path, counted([...words(text), ...Array(5).fill(words(path)).flat()])]),
  )
  const lengths = new Map([...counts].map(([path, each]) => [path, [...each.values()].reduce((sum, count) => sum + count, 0)]))
  const average = [...lengths.values()].reduce((sum, length) => sum + length, 0) / Math.max(counts.size, 1)
  const documents = counted([...counts.values()].flatMap((each) => [...each.keys()]))
  return (question, filesMax) => {
    const asked = [...new Set(words(question))].filter((word) => !STOP.has(word) && documents.has(word))
    const scores = [...counts].map(([path, each]) => {
      const norm = 1.2 * (0.25 + (0.75 * (lengths.get(path) ?? 0)) / average)
      const score = asked.reduce((sum, word) => {
        const [count, found] = [each.get(word) ?? 0, documents.get(word) ?? 0]
        return sum + (Math.log(1 + (counts.size - found + 0.5) / (found + 0.5)) * count * 2.2) / (count + norm)
      }, 0)
      return { path, score }
    })
    const ranked = scores.filter(({ score }) => score > 0).toSorted((one, other) => other.score - one.score)
    return ranked.slice(0, filesMax).map(({ path }) => path)
  }
}

const STOP: ReadonlySet<string> = new Set(
  'the a an of in is are and or to that which where what how why does do for with on by from at as it its this be when into between via using used code codebase module class function method file files logic located implemented defined handled handles control flow system component during within responsible specific'.split(
    ' ',
  ),
)

function words(text: string): readonly string[] {
  const apart = text.replaceAll('_', ' ').replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
  return (apart.match(/[A-Za-z][A-Za-z0-9]*/g) ?? []).map((each) => {
    const word = each.toLowerCase()
    return word.length > 4 ? word.replace(/(?:ing|ed|es|s)$/, '') : word
  })
}

function counted(items: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1)
  return counts
}
