import { readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { languageOf } from './tokenize.ts'

/** Source texts by path, relative to the folder and with slashes, in a fixed order. */
export type SourceTexts = ReadonlyMap<string, string>

/**
 * Reads the source files under a folder. Skips installed, built and hidden folders, links (they may lead outside), files over
 * 200 kB, and text that wouldn't survive a round trip.
 */
export function readSourceTexts(folder: string, filesMax = 2000): SourceTexts {
  const texts = new Map<string, string>()
  const queue = ['']
  for (let next = queue.shift(); next !== undefined && texts.size < filesMax; next = queue.shift()) {
    const entries = readdirSync(join(folder, next), { withFileTypes: true }).toSorted((a, b) => (a.name < b.name ? -1 : 1))
    for (const entry of entries) {
      const path = next ? `${next}/${entry.name}` : entry.name
      if (entry.isDirectory() && !entry.name.startsWith('.') && !SKIPPED_FOLDERS.has(entry.name)) queue.push(path)
      if (!entry.isFile() || !languageOf(path) || texts.size >= filesMax) continue
      const text = readExactText(join(folder, path))
      if (text !== undefined) texts.set(path, text)
    }
  }
  return texts
}

const BYTES_MAX = 200_000
const SKIPPED_FOLDERS = new Set('node_modules vendor dist build out target coverage __pycache__ venv obj'.split(' '))

function readExactText(path: string): string | undefined {
  if (statSync(path).size > BYTES_MAX) return undefined
  const bytes = readFileSync(path)
  const text = bytes.toString('utf8')
  return Buffer.from(text, 'utf8').equals(bytes) ? text : undefined
}

/**
 * Whether tinker may change a file. Never tests and what they rely on, configuration, or files that the check command names: an
 * edit there could make the check pass without fixing anything.
 */
export function isEditable(path: string, checkFiles: ReadonlySet<string>): boolean {
  return !isTestFile(path) && !/\.config\.\w+$|(?:^|\/)(?:setup|conftest|noxfile|build)\.\w+$/.test(path) && !checkFiles.has(path)
}

/** Tests, fixtures, mocks and test helpers, by their path. */
export function isTestFile(path: string): boolean {
  const folders = path.split('/').slice(0, -1)
  if (folders.some((folder) => TEST_FOLDERS.test(folder))) return true
  return /(?:^|[._-])(?:test|tests|spec|bench|stories|mock)\.\w+$|^test[._-]|^tests?\.\w+$|(?:Test|Tests|Spec)\.\w+$|\.d\.\w+$/.test(
    basename(path),
  )
}

const TEST_FOLDERS = /^(?:_*tests?_*|specs?|__\w+__|testing|testdata|fixtures?|mocks?|e2e|benchmarks?)$/i

/**
 * The check's own programs: whatever the check command, or a `package.json` script that it runs, starts or passes to an
 * interpreter. A file that it only passes to a compiler is source.
 */
export function filesOfCheck(command: readonly string[], folder: string): ReadonlySet<string> {
  const scripts = scriptsOf(folder)
  const isShellLine = command[1] === '-c' && command.length === 3
  const lines = new Set([isShellLine ? command[2]! : command.join(' ')])
  const files = new Set<string>()
  // A script may run another one, so the set of lines grows while this reads it.
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
    // No package.json, or one that npm can't read either, so the check isn't one of its scripts.
    return new Map()
  }
}
