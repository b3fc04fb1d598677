import { PawlError } from '../../../core/pawl-error.ts'
import { keepSecretsOf } from '../../../secrets/known-values.ts'
import { requireKeptWhole } from '../../../secrets/filter.ts'
import type { PawlConfig } from '../../../settings/pawl-config.ts'
import { taskConfig } from '../task-config.ts'

/** Why a run with this file would be refused at its start: what it is made of holds a secret. In the words of that refusal. */
export async function secretInConfig(root: string, config: PawlConfig): Promise<string | undefined> {
  keepSecretsOf(process.env)
  try {
    await requireKeptWhole(taskConfig(root, standIns(config), config, { goal: 'any', name: 'any', control: {} }))
    return undefined
  } catch (error) {
    if (!(error instanceof PawlError)) throw error
    // What else is wrong with the file is told where it is looked at.
    return error.code === 'run.secret-in-config' ? error.message : undefined
  }
}

/** What the file leaves to flags. */
function standIns({ agent, checks, rules = [] }: PawlConfig): {
  readonly agentCommand?: string
  readonly check?: readonly string[]
} {
  return {
    ...(agent === undefined ? { agentCommand: 'true' } : {}),
    ...(checks.length + rules.length === 0 ? { check: ['true'] } : {}),
  }
}
