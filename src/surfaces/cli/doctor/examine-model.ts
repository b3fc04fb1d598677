import { existsSync } from 'node:fs'
import type { ConfiguredModel } from '../../../settings/other-agents.ts'
import type { Examined } from './examined.ts'
import { reachAddress } from './reach-address.ts'

/**
 * Whether the file is there that exports the model; or the variable set that holds its key, and somebody to be had at its address. None
 * of it is read, and the model is not asked.
 */
export async function examineModel(name: string, agent: ConfiguredModel, isUsed: boolean): Promise<Examined> {
  const { module, model = '', baseUrl = '', key } = agent
  const topic = `agent ${name}`
  const status = isUsed ? 'problem' : 'warning'
  if (module !== undefined)
    return existsSync(module)
      ? { topic, status: 'ok', message: `the model that ${module} exports; not tried` }
      : { topic, status, message: `There is no file ${module}.`, fix: 'write it, or correct `module` in pawl.yaml' }
  if (key !== undefined && (process.env[key] ?? '') === '')
    return { topic, status, message: `The variable ${key}, which holds its key, is not set.`, fix: `set ${key}` }
  const problem = await reachAddress(baseUrl)
  // Only the host: the rest of an address may hold a password or a key.
  const { host } = new URL(baseUrl)
  if (problem !== undefined)
    return {
      topic,
      status,
      message: `The model ${model} cannot be reached at ${host}: ${problem}.`,
      fix: 'start what serves it, or correct `base_url` in pawl.yaml',
    }
  return { topic, status: 'ok', message: `the model ${model}; somebody answers at ${host}, the model was not tried` }
}
