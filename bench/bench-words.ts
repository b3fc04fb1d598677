export interface BenchWords {
  readonly flags: ReadonlySet<string>
  /** The one word that is no flag. */
  readonly folder?: string
  /** Why the words cannot be understood. A flag that is not known may have been meant to keep files from being written. */
  readonly problem?: string
}

/** What was asked for on the command line: flags of those known, and at most one folder. */
export function benchWords(words: readonly string[], known: readonly string[]): BenchWords {
  const flags = new Set(words.filter((word) => word.startsWith('-')))
  const folders = words.filter((word) => !word.startsWith('-'))
  const [folder] = folders
  const unknown = [...flags].find((flag) => !known.includes(flag))
  const problem =
    unknown === undefined ? problemOf(folders) : `${unknown} is not known here: ${knownWords(known)}. Nothing was written.`
  return { flags, ...(folder === undefined ? {} : { folder }), ...(problem === undefined ? {} : { problem }) }
}

function problemOf(folders: readonly string[]): string | undefined {
  return folders.length > 1
    ? `One folder can be named, and these are ${folders.length}: ${folders.join(', ')}. Nothing was written.`
    : undefined
}

function knownWords(known: readonly string[]): string {
  return known.length === 0 ? 'there are no flags, only the folder of the recorded loops' : `there are ${known.join(' and ')}`
}
