import { lineAt } from './source.ts'

/** A file of any kind, for rules about what must not be written down anywhere. */
export interface TextFile {
  readonly path: string
  readonly text: string
}

// Written so that no pattern finds itself. The home of a made-up user is good test data, so tests may name one.
const HOME_PATH = /(?<![\w.~}])[/](?:home|Users)[/]\w[^\s'"`)]*/g
const MACHINE_PATH = /(?<![\w.~}])[/](?:work[/](?:main|shared)\b|root[/]\w)[^\s'"`)]*/g
const SHARED = /\.\.[/]shared\b/g

/** Paths that exist on one machine only, and registry addresses in lock files. */
export function traces(files: readonly TextFile[]): string[] {
  return files.flatMap((file) => [...machinePaths(file), ...sharedFolder(file), ...registryAddresses(file)])
}

function machinePaths({ path, text }: TextFile): string[] {
  const isTest = path.endsWith('.test.ts') || path.includes('/fixtures/')
  return [...text.matchAll(MACHINE_PATH), ...(isTest ? [] : text.matchAll(HOME_PATH))].map(
    (match) =>
      `${path}:${lineAt(text, match.index)}: names ${match[0]}, a path of one machine: use a relative path or a temporary folder.`,
  )
}

function sharedFolder({ path, text }: TextFile): string[] {
  // `loops/shared` is a folder of ours.
  if (path.startsWith('bench/') || path.startsWith('src/loops/')) return []
  return [...text.matchAll(SHARED)].map(
    ({ index }) =>
      `${path}:${lineAt(text, index)}: mentions the shared folder beside the repository, which only bench may: copy what is needed.`,
  )
}

function registryAddresses({ path, text }: TextFile): string[] {
  if (!path.endsWith('package-lock.json')) return []
  return [...text.matchAll(/"resolved":/g)].map(
    ({ index }) =>
      `${path}:${lineAt(text, index)}: has a registry address: put omit-lockfile-registry-resolved=true into the .npmrc beside it and run npm install.`,
  )
}
