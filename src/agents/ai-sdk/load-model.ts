import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { LanguageModel } from 'ai'
import type { CommandTrouble } from '../../process/command-trouble.ts'
import type { ModelPlace } from '../agent-settings.ts'
import { keepSecret, keepSecretsOf } from '../../secrets/known-values.ts'

/**
 * Keeps the model's key out of everything that Pawl writes and shows: the named key, or every secret in this process's environment, where
 * a provider may find its key by itself.
 */
export function keepKeys(key?: string): void {
  const value = key === undefined ? undefined : process.env[key]
  if (key === undefined) keepSecretsOf(process.env)
  else if (value !== undefined) keepSecret(value, key)
}

/** The model, or why it isn't available and how to fix that. */
export async function loadModel(place: ModelPlace, cwd: string): Promise<{ readonly model: LanguageModel } | CommandTrouble> {
  return 'module' in place ? fromModule(place.module, cwd) : fromAddress(place, cwd)
}

async function fromModule(module: string, cwd: string): Promise<{ readonly model: LanguageModel } | CommandTrouble> {
  const file = resolve(cwd, module)
  const fix = 'Export a model of the AI SDK from it: export default openai("gpt-5")'
  try {
    const exported = (await import(pathToFileURL(file).href)) as { readonly default?: unknown; readonly model?: unknown }
    const given = exported.default ?? exported.model
    const model = typeof given === 'function' ? await (given as () => unknown)() : given
    if (isModel(model)) return { model }
    return { fault: 'config', message: `${file} exports no model.`, fix }
  } catch (error) {
    return {
      fault: 'config',
      message: `${file} could not be loaded: ${error instanceof Error ? error.message : String(error)}`,
      fix,
    }
  }
}

async function fromAddress(
  { baseUrl, model, key }: Exclude<ModelPlace, { module: string }>,
  cwd: string,
): Promise<{ readonly model: LanguageModel } | CommandTrouble> {
  const apiKey = key === undefined ? undefined : process.env[key]
  if (key !== undefined && (apiKey === undefined || apiKey === ''))
    return {
      fault: 'config',
      message: `The variable ${key}, which holds the key of ${model}, is not set.`,
      fix: `Set ${key}; then resume.`,
    }
  keepKeys(key)
  const library = await loadOptional('@ai-sdk/openai-compatible', cwd, () => import('@ai-sdk/openai-compatible'))
  if ('fault' in library) return library
  const provider = library.createOpenAICompatible({
    name: 'provider',
    baseURL: baseUrl,
    ...(apiKey === undefined ? {} : { apiKey }),
  })
  return { model: provider(model) as LanguageModel }
}

function isModel(value: unknown): value is LanguageModel {
  if (typeof value === 'string') return value !== ''
  return typeof value === 'object' && value !== null && 'doGenerate' in value
}

type Sdk = typeof import('ai')

/** The AI SDK, installed beside Pawl or in the project; otherwise how to install it. */
export async function loadSdk(cwd: string): Promise<Sdk | CommandTrouble> {
  return loadOptional<Sdk>('ai', cwd, () => import('ai'))
}

/** An optional library: looks beside Pawl first, then in the project. */
async function loadOptional<Library>(name: string, cwd: string, load: () => Promise<Library>): Promise<Library | CommandTrouble> {
  try {
    return await load()
  } catch (error) {
    if (!isMissing(error)) throw error
  }
  try {
    const place = createRequire(join(cwd, 'package.json')).resolve(name)
    return (await import(pathToFileURL(place).href)) as Library
  } catch (error) {
    if (!isMissing(error)) throw error
    return {
      fault: 'config',
      message: `The library "${name}" is not installed, and models are asked through it.`,
      fix: `Install it in the project, or beside Pawl: npm install ${name}`,
    }
  }
}

function isMissing(error: unknown): boolean {
  const { code } = (error ?? {}) as { readonly code?: unknown }
  return code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND'
}
