import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { LoginSigns } from '../../../settings/agent-presets.ts'
import type { Login } from './examined.ts'

/**
 * Whether somebody seems to be logged in: a variable is set, or the file is there in which the agent keeps its log-in. Neither is read.
 * What a key chain of the system holds nobody sees from here, so `none` is no proof.
 */
export function loginOf({ file, folder, variables, how }: LoginSigns, env = process.env): Login {
  const variable = variables.find((name) => (env[name] ?? '') !== '')
  if (variable !== undefined) return { status: 'found', by: `${variable} is set` }
  const home = env['HOME'] ?? homedir()
  const own = folder === undefined ? undefined : env[folder.variable]
  const path = own && folder ? join(own, file.slice(folder.of.length)) : join(home, file)
  return existsSync(path) ? { status: 'found', by: path } : { status: 'none', how }
}
