import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'

/**
 * Whether tinker may change a file. Never: tests and what they rest on, configuration, and files that the check command
 * itself names, since an edit there could make the check pass without mending anything.
 */
export function isEditable(path: string, checkFiles: ReadonlySet<string>): boolean {
  return !isTestFile(path) && !/\.config\.\w+$|(?:^|\/)(?:setup|conftest|noxfile|build)\.\w+$/.test(path) && !checkFiles.has(path)
}

/** Tests, fixtures, mocks and helpers of tests, by their path. */
export function isTestFile(path: string): boolean {
  const folders = path.split('/').slice(0, -1)
  if (folders.some((folder) => TEST_FOLDERS.test(folder))) return true
  return /(?:^|[._-])(?:test|tests|spec|bench|stories|mock)\.\w+$|^test[._-]|^tests?\.\w+$|(?:Test|Tests|Spec)\.\w+$|\.d\.\w+$/.test(
    basename(path),
  )
}

const TEST_FOLDERS = /^(?:_*tests?_*|specs?|__\w+__|testing|testdata|fixtures?|mocks?|e2e|benchmarks?)$/i

/** The files named in a check command and in the scripts of `package.json` that it runs. */
export function filesOfCheck(command: readonly string[], folder: string): ReadonlySet<string> {
  const words = new Set(command.flatMap(wordsIn))
  const scripts = scriptsOf(folder)
  // A script may run another one, so the words that are found name further scripts while the set grows.
  for (const word of words) {
    for (const name of [word, `pre${word}`, `post${word}`]) for (const other of wordsIn(scripts.get(name) ?? '')) words.add(other)
  }
  return new Set([...words].map((word) => word.replace(/^\.\//, '')))
}

function wordsIn(text: string): string[] {
  return text.split(/[\s"'=;&|()]+/).filter((word) => word !== '')
}

function scriptsOf(folder: string): ReadonlyMap<string, string> {
  try {
    const { scripts } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { scripts?: Record<string, string> }
    return new Map(Object.entries(scripts ?? {}).map(([name, script]) => [name, String(script)]))
  } catch {
    // No package.json, or one that npm could not read either: then no script of it is the check.
    return new Map()
  }
}
