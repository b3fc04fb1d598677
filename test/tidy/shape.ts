import { basename, posix } from 'node:path'
import { lineAt, type Source } from './source.ts'

const FOLDERS_MAX = 3
const LINES_MAX = 700
const LINES_P90_MAX = 300

/** Folders, names and lengths of files. Tests may be as long as they need. */
export function shape(sources: readonly Source[]): string[] {
  return [...sources.flatMap((source) => [...names(source), ...length(source)]), ...lengthOfMost(sources)]
}

function names({ path }: Source): string[] {
  const problems: string[] = []
  const name = basename(path)
  if (!/^_?[a-z0-9]+(?:-[a-z0-9]+)*(?:\.test|\.config)?\.ts$/.test(name)) {
    problems.push(`${path}:1: is not in kebab-case: name the file after what it exports, in small letters and hyphens.`)
  }
  if (/^(?:types|utils|helpers)\.ts$/.test(name)) {
    problems.push(`${path}:1: is a catch-all: name the file after the one thing it exports.`)
  }
  const folders = posix.dirname(path).split('/').length - 1
  if (path.startsWith('src/') && folders > FOLDERS_MAX) {
    problems.push(`${path}:1: lies ${folders} folders below src, at most ${FOLDERS_MAX} are allowed: move it up.`)
  }
  return problems
}

function length(source: Source): string[] {
  if (!isCounted(source)) return []
  const lines = linesOf(source)
  return lines < LINES_MAX
    ? []
    : [`${source.path}:${LINES_MAX}: has ${lines} lines, fewer than ${LINES_MAX} are allowed: split it.`]
}

function lengthOfMost(sources: readonly Source[]): string[] {
  const counted = sources.filter(isCounted).toSorted((a, b) => linesOf(a) - linesOf(b))
  const atP90 = counted[Math.ceil(counted.length * 0.9) - 1]
  if (atP90 === undefined || linesOf(atP90) < LINES_P90_MAX) return []
  return [
    `${atP90.path}:1: one file in ten is as long as this (${linesOf(atP90)} lines), the limit is ${LINES_P90_MAX}: split the longest ones.`,
  ]
}

function isCounted({ path, isTest }: Source): boolean {
  return path.startsWith('src/') && !isTest
}

function linesOf({ text }: Source): number {
  return text.trimEnd().split('\n').length
}

/** Default exports, and functions, classes and constants without a word on what they are. */
export function exportsOf(sources: readonly Source[]): string[] {
  return sources.filter(isCounted).flatMap((source) => [...defaultExports(source), ...undocumented(source)])
}

function defaultExports({ path, code }: Source): string[] {
  return [...code.matchAll(/^export\s+default\b|\bas\s+default\b/gm)].map(
    ({ index }) => `${path}:${lineAt(code, index)}: has a default export: export it by name.`,
  )
}

function undocumented({ path, text, code }: Source): string[] {
  const lines = text.split('\n')
  const exported = /^export (?:async |abstract )*(?:function\*?|class|const|let) (\w+)/gm
  return [...code.matchAll(exported)].flatMap(({ index, 1: name }) => {
    const line = lineAt(code, index)
    const above = lines.slice(0, line - 1).findLast((each) => !each.startsWith('// oxlint-disable')) ?? ''
    const isOverload = above.startsWith(`export function ${name}`)
    if (above.trimEnd().endsWith('*/') || isOverload) return []
    return [`${path}:${line}: exports ${name} without a doc comment directly above it: say when, what and which default.`]
  })
}
