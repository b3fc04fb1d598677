import { dirname } from 'node:path'
import { withModulesFrom } from './other-agents.ts'
import type { PawlConfig } from './pawl-config.ts'
import { shortPath, textFile } from './text-file.ts'

/** Reads a `pawl.yaml`; `undefined` when the file is not there. A file that is there but wrong is a `config.*` error that names each place. */
export async function loadConfig(path: string): Promise<PawlConfig | undefined> {
  const text = await textFile(path)
  if (text === undefined) return undefined
  // Only here: yaml takes longer to load than the rest of most commands.
  const { parseConfig } = await import('./parse-config.ts')
  const config = parseConfig(text, shortPath(path))
  return { ...config, agents: withModulesFrom(config.agents, dirname(path)) }
}
