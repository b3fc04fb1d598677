import { readdirSync, type Dirent } from 'node:fs'
import { join } from 'node:path'
import { ignoreRules, type IgnoreRules } from './ignore-rules.ts'
import { OWN_FOLDERS, readInside } from './read-inside.ts'

/** What is installed or made and never written by hand, where no `.gitignore` says so. */
const NEVER_ENTERED: ReadonlySet<string> = new Set([
  ...OWN_FOLDERS,
  ...'.hg .svn node_modules __pycache__ .venv venv .tox .gradle .idea .vs'.split(' '),
])
const IGNORE_BYTES_MAX = 1024 * 1024

/** All regular files below a folder that its `.gitignore` files do not leave out, at most `filesMax`. Links are not followed. */
export function walkedFiles(root: string, filesMax: number): readonly string[] {
  const files: string[] = []
  walk(root, '', [], files, filesMax)
  return files
}

interface RulesAt {
  readonly folder: string
  readonly rules: IgnoreRules
}

function walk(root: string, folder: string, above: readonly RulesAt[], files: string[], filesMax: number): void {
  const entries = entriesOf(join(root, folder))
  const levels = entries.some(({ name }) => name === '.gitignore') ? [...above, rulesAt(root, folder)] : above
  for (const entry of entries) {
    if (files.length >= filesMax) return
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (entry.isDirectory()) {
      if (!NEVER_ENTERED.has(entry.name) && !isIgnored(levels, path, true)) walk(root, path, levels, files, filesMax)
    } else if (entry.isFile() && !isIgnored(levels, path, false)) {
      files.push(path)
    }
  }
}

function entriesOf(path: string): readonly Dirent[] {
  try {
    return readdirSync(path, { withFileTypes: true }).toSorted((one, other) => (one.name < other.name ? -1 : 1))
  } catch {
    // A folder nobody may enter has no files for us; that there was one is of no use to the question.
    return []
  }
}

function rulesAt(root: string, folder: string): RulesAt {
  const read = readInside(root, folder === '' ? '.gitignore' : `${folder}/.gitignore`, IGNORE_BYTES_MAX)
  return { folder, rules: ignoreRules(read.status === 'text' ? read.text : '') }
}

/** The innermost `.gitignore` that says something decides. */
function isIgnored(levels: readonly RulesAt[], path: string, isFolder: boolean): boolean {
  for (const { folder, rules } of levels.toReversed()) {
    const answer = rules(folder === '' ? path : path.slice(folder.length + 1), isFolder)
    if (answer !== undefined) return answer
  }
  return false
}
