import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The nearest `.pawl/pawl.db`, from the folder upwards; `undefined` where no run was ever kept. */
export function findStore(folder: string): string | undefined {
  const path = join(folder, '.pawl', 'pawl.db')
  if (existsSync(path)) return path
  const parent = dirname(folder)
  return parent === folder ? undefined : findStore(parent)
}
