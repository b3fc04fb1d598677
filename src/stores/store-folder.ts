import { lstatSync, mkdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { PawlError } from '../core/pawl-error.ts'

/** Makes the folder that a store's file is in. Only the owner may read it, and git ignores one named `.pawl`. */
export function makeStoreFolder(folder: string): void {
  if (basename(folder) === '.pawl' && lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink())
    throw new PawlError(
      'store.linked',
      `${folder} is a link, and an agent could have put it there, so Pawl writes nothing below it: remove the link.`,
      { value: folder },
    )
  const isNew = mkdirSync(folder, { recursive: true, mode: 0o700 }) !== undefined
  if (isNew && basename(folder) === '.pawl') writeFileSync(join(folder, '.gitignore'), '*\n')
}
