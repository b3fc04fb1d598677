import type { TextFile } from './traces.ts'

/** Files of src/guards that are no guards. */
const NO_GUARDS = new Set([
  '_guards',
  '_settings',
  '_names',
  'guard-settings',
  'index',
  'default-guards',
  'guard-from',
  'safety-checks',
])

interface GuardFile {
  /** `max-iterations` */
  readonly name: string
  readonly path: string
  /** What it exports: `maxIterations`. */
  readonly exported: readonly string[]
}

/** What every guard has besides its file. To ask for one more thing, add a line. */
const NEEDS: readonly {
  readonly what: (guard: GuardFile) => string
  readonly isThere: (guard: GuardFile, files: ReadonlyMap<string, string>) => boolean
}[] = [
  {
    what: ({ name }) => `a test src/guards/${name}.test.ts`,
    isThere: ({ name }, files) => files.has(`src/guards/${name}.test.ts`),
  },
  { what: ({ name }) => `a page docs/guards/${name}.md`, isThere: ({ name }, files) => files.has(`docs/guards/${name}.md`) },
  {
    what: (guard) => `a line in docs/SPEC.md that names ${wordsOf(guard).join(' or ')}`,
    isThere: (guard, files) => wordsOf(guard).some((word) => new RegExp(`\\b${word}\\b`).test(files.get('docs/SPEC.md') ?? '')),
  },
]

/** Guards that lack their test, their page or their rule. */
export function guardPages(files: readonly TextFile[]): string[] {
  const texts = new Map(files.map(({ path, text }) => [path, text]))
  return files.flatMap((file) => {
    const guard = guardOf(file)
    if (!guard) return []
    return NEEDS.filter((need) => !need.isThere(guard, texts)).map(
      (need) => `${guard.path}:1: this guard needs ${need.what(guard)}.`,
    )
  })
}

function guardOf({ path, text }: TextFile): GuardFile | undefined {
  const name = /^src\/guards\/([^/.]+)\.ts$/.exec(path)?.[1]
  if (name === undefined || NO_GUARDS.has(name)) return undefined
  return { name, path, exported: [...text.matchAll(/^export function (\w+)/gm)].map((match) => match[1] as string) }
}

/** What a rule may call it. Short ones (`not`) are words of plain English. */
function wordsOf({ name, exported }: GuardFile): string[] {
  return [...new Set([name, ...exported])].filter((word) => word.length > 3)
}
