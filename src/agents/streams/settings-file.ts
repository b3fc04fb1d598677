import { existsSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { JsonObject } from '../../core/json.ts'
import { makeReportFolder } from '../report-folder.ts'

/** Settings that an agent gets for one call, where a variable can name a file of them. */
export interface SettingsFile {
  readonly variable: string
  readonly settings: JsonObject
  /** Where the machine's own of that kind stand. */
  readonly machinesOwn: string
}

type Environment = Readonly<Record<string, string>>

/** Lets an agent work with the file, which is taken away afterwards; not where the user names another, or the machine has its own. */
export async function withSettingsFile<Result>(
  file: SettingsFile | undefined,
  env: Environment,
  work: (env: Environment) => Promise<Result>,
): Promise<Result> {
  if (!file || file.variable in env || existsSync(file.machinesOwn)) return work(env)
  const folder = await makeReportFolder()
  try {
    const path = join(folder, 'settings.json')
    await writeFile(path, JSON.stringify(file.settings), { mode: 0o600 })
    return await work({ ...env, [file.variable]: path })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
