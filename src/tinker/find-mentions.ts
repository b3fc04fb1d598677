import { resolve } from 'node:path'

/** A place that a text speaks of: `src/cart.js:12`, `File "cart.py", line 12`. */
export interface Mention {
  readonly path: string
  readonly line?: number
}

/** Finds the files among `paths` that stand in an output or a brief, with the line where one is given. */
export function findMentions(text: string, paths: Iterable<string>, folder: string): Mention[] {
  const known = new Set(paths)
  const root = `${resolve(folder)}/`
  const mentions = new Map<string, Mention>()
  for (const [, file, line, pythonLine] of text.matchAll(PLACE)) {
    const path = file!.replace('file://', '').replace(root, '').replace(/^\.\//, '')
    const number = Number(line ?? pythonLine)
    if (known.has(path)) mentions.set(`${path}:${number}`, number > 0 ? { path, line: number } : { path })
  }
  return [...mentions.values()]
}

const PLACE = /((?:file:\/\/)?[\w@./-]+\.[a-z]{1,4})(?:[:(](\d+)|", line (\d+))?/g
