import { basename } from 'node:path'
import { PawlError } from '../../../core/pawl-error.ts'
import { loadConfig } from '../../../settings/load-config.ts'
import type { PawlConfig } from '../../../settings/pawl-config.ts'
import type { Project } from '../../../settings/find-project.ts'
import { examineCheck } from './examine-check.ts'
import type { Examined } from './examined.ts'
import { secretInConfig } from './secret-in-config.ts'

/** What was found out about `pawl.yaml`. */
export interface ExaminedConfig {
  /** Absent when there is none, or none that can be used. */
  readonly config?: PawlConfig
  readonly examined: readonly Examined[]
}

/** Whether `pawl.yaml` is right, whether a run could begin with it, and whether the programs of its checks are there, with what they are asked to run. */
export async function examineConfig({ configPath, root }: Project): Promise<ExaminedConfig> {
  const topic = basename(configPath)
  try {
    const config = await loadConfig(configPath)
    if (config === undefined) return { examined: [{ topic, status: 'absent', message: 'none; `pawl init` writes one' }] }
    const checks = config.checks.map((check) => examineCheck(check, config, root))
    const refusal = await secretInConfig(root, config)
    const summary: Examined = refusal === undefined ? summaryOf(config, topic) : { topic, status: 'problem', message: refusal }
    return { config, examined: [summary, ...(await Promise.all(checks))] }
  } catch (error) {
    if (!(error instanceof PawlError)) throw error
    return { examined: [{ topic, status: 'problem', message: error.message, fix: `correct ${configPath}` }] }
  }
}

function summaryOf({ agent, checks }: PawlConfig, topic: string): Examined {
  const who = agent === undefined ? 'no agent' : `agent ${agent}`
  const count = `${checks.length === 0 ? 'no' : checks.length} check${checks.length === 1 ? '' : 's'}`
  if (checks.length > 0) return { topic, status: 'ok', message: `valid: ${who}, ${count}` }
  const fix = 'write the command that tests your work under `checks`, or give --check with each run'
  return { topic, status: 'warning', message: `valid: ${who}, ${count}`, fix }
}
