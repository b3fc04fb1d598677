import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { CommandTrouble } from '../../process/command-trouble.ts'

type Sdk = typeof import('ai')

/** The AI SDK, which is installed beside Pawl or in the project; where it is in neither, how to get it. */
export async function loadSdk(cwd: string): Promise<Sdk | CommandTrouble> {
  return loadOptional<Sdk>('ai', cwd, () => import('ai'))
}

/** A library that Pawl does not bring along: first as Pawl sees it, then as the project does. */
export async function loadOptional<Library>(
  name: string,
  cwd: string,
  load: () => Promise<Library>,
): Promise<Library | CommandTrouble> {
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
