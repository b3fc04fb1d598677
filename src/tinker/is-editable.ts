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

/**
 * The programs of the check itself: what a check command, or a script of `package.json` that it runs, starts or hands to an
 * interpreter. What it only hands to a compiler is the work and not the check.
 */
export function filesOfCheck(command: readonly string[], folder: string): ReadonlySet<string> {
  const scripts = scriptsOf(folder)
  const isShellLine = command[1] === '-c' && command.length === 3
  const lines = new Set([isShellLine ? command[2]! : command.join(' ')])
  const files = new Set<string>()
  // A script may run another one, so the set of lines grows while it is read.
  for (const line of lines) {
    for (const words of line.split(/&&|\|\||[;|\n]/).map(wordsIn)) {
      const isInterpreted = words.some((word) => INTERPRETERS.test(word))
      for (const word of isInterpreted ? words : words.slice(0, 1)) files.add(word.replace(/^\.\//, ''))
      for (const name of words.flatMap((word) => [word, `pre${word}`, `post${word}`])) {
        const script = scripts.get(name)
        if (script !== undefined) lines.add(script)
      }
    }
  }
  return files
}

const INTERPRETERS = /(?:^|\/)(?:node|deno|bun|tsx|ts-node|python[\d.]*|ruby|perl|php|sh|bash|zsh)$/

function wordsIn(text: string): string[] {
  return text.split(/[\s"'=()]+/).filter((word) => word !== '')
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
