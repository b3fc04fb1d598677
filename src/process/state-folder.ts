import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'

/** The folder of what Pawl keeps for your account over all projects: `PAWL_STATE_DIR`, else `pawl` below `XDG_STATE_HOME` or `~/.local/state`. */
export function stateFolder({ PAWL_STATE_DIR: own = '', XDG_STATE_HOME: given = '' }: NodeJS.ProcessEnv = process.env): string {
  if (isAbsolute(own)) return own
  return join(isAbsolute(given) ? given : join(homedir(), '.local', 'state'), 'pawl')
}
