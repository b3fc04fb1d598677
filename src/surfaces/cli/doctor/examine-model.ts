import { existsSync } from 'node:fs'
import type { ConfiguredModel } from '../config/other-agents.ts'
import type { Examined } from './examined.ts'

/** Whether the file is there that exports the model, or the variable set that holds its key; neither is read. */
export function examineModel(name: string, { module, model, key }: ConfiguredModel, isUsed: boolean): Examined {
  const topic = `agent ${name}`
  const status = isUsed ? 'problem' : 'warning'
  if (module !== undefined)
    return existsSync(module)
      ? { topic, status: 'ok', message: `the model that ${module} exports` }
      : { topic, status, message: `There is no file ${module}.`, fix: 'write it, or correct `module` in pawl.yaml' }
  if (key !== undefined && (process.env[key] ?? '') === '')
    return { topic, status, message: `The variable ${key}, which holds its key, is not set.`, fix: `set ${key}` }
  return { topic, status: 'ok', message: `the model ${model ?? ''}` }
}
