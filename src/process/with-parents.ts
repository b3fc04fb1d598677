import { dirname } from 'node:path'

/** A folder and those above it, the nearest first. */
export function withParents(folder: string): readonly string[] {
  const parent = dirname(folder)
  return parent === folder ? [folder] : [folder, ...withParents(parent)]
}
