import { isJsonObject, type JsonObject } from '../core/json.ts'
import { PawlError } from '../core/pawl-error.ts'
import { readConfig, type ReadConfig } from '../loops/research/config-file.ts'
import { ANYTHING, mapOf } from '../schema/kinds.ts'
import { shortPath, textFile } from './text-file.ts'

/** The name of the file with the settings of research, if none is given. */
export const RESEARCH_FILE = 'pawl-research.yaml'

/** What such a file says. */
export type LoadedResearch = Omit<ReadConfig, 'problems'>

/** The file of settings; everything wrong in it is one error, a line each. Without one of that name nothing is set, unless it was asked for. */
export async function loadResearchFile(path: string, isAskedFor: boolean): Promise<LoadedResearch> {
  const text = await textFile(path)
  const name = shortPath(path)
  if (text === undefined && !isAskedFor) return readConfig({})
  if (text === undefined) throw new PawlError('usage.no-file', `There is no file ${name}: \`pawl research init\` writes one.`)
  // Only here: yaml takes longer to load than the rest of most commands.
  const { readYaml } = await import('./yaml-file.ts')
  const value = readYaml(text, name, {
    schema: () => mapOf('a map of settings, such as "iteration_rules:"', ANYTHING),
    code: 'config.invalid',
    empty: {},
    problems: (given) =>
      isJsonObject(given)
        ? readConfig(given).problems.map(({ isKey, ...problem }) => ({ ...problem, ...(isKey ? { at: 'key' as const } : {}) }))
        : [],
  })
  return readConfig(value as JsonObject)
}
