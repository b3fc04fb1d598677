import { PawlError } from '../core/pawl-error.ts'
import { shortPath, textFile } from './text-file.ts'

/** Reads a file of validation rules, YAML or JSON: one rule, a list of them, or a map with `rules` (or `validationRules`). */
export async function loadRules(path: string): Promise<readonly object[]> {
  const text = await textFile(path)
  const name = shortPath(path)
  if (text === undefined) throw new PawlError('usage.no-file', `There is no file ${name}: give one with rules, in YAML or JSON.`)
  // Only here: yaml takes longer to load than the rest of most commands.
  const { parse } = await import('yaml')
  let value: unknown
  try {
    value = parse(text)
  } catch (error) {
    throw new PawlError('config.rule', `${name} cannot be read as YAML or JSON: ${(error as Error).message}`, { cause: error })
  }
  const rules = listIn(value)
  if (rules.length === 0)
    throw new PawlError(
      'config.rule',
      `${name} holds no rules: write a list such as [{ type: command, name: tests, config: { command: "npm test" } }].`,
    )
  return rules
}

function listIn(value: unknown): readonly object[] {
  if (Array.isArray(value)) return value
  if (typeof value !== 'object' || value === null) return []
  const { rules, validationRules } = value as { readonly rules?: unknown; readonly validationRules?: unknown }
  const list = rules ?? validationRules
  if (Array.isArray(list)) return list
  return Object.hasOwn(value, 'type') ? [value] : []
}
