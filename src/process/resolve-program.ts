import { constants } from 'node:fs'
import { access, open, stat } from 'node:fs/promises'
import { delimiter, resolve } from 'node:path'

export type ResolvedProgram =
  | { readonly status: 'found'; readonly path: string }
  | { readonly status: 'not-found' | 'not-executable'; readonly message: string }

/**
 * Finds a program as a shell would: on `path` (the child's PATH), or from `cwd` when its name has a slash. Done before the start,
 * so that "there is no such program" is never mistaken for a program that exits with 127.
 */
export async function resolveProgram(name: string, cwd: string, path = '/usr/bin:/bin'): Promise<ResolvedProgram> {
  const candidates = name.includes('/') ? [resolve(cwd, name)] : path.split(delimiter).map((folder) => resolve(cwd, folder, name))
  let refused: string | undefined
  for (const candidate of candidates) {
    const kind = await kindOf(candidate)
    if (kind === 'program') return checkInterpreter(name, candidate)
    if (kind === 'not-executable') refused ??= candidate
  }
  if (refused !== undefined)
    return { status: 'not-executable', message: `\`${name}\` cannot be run: ${refused} is not an executable file.` }
  return {
    status: 'not-found',
    message: name.includes('/')
      ? `There is no program ${candidates[0]}.`
      : `There is no program \`${name}\` on the PATH (${path}).`,
  }
}

async function kindOf(candidate: string): Promise<'program' | 'not-executable' | 'nothing'> {
  const stats = await stat(candidate).catch(() => undefined)
  if (stats === undefined) return 'nothing'
  if (!stats.isFile()) return 'not-executable'
  return (await isExecutable(candidate)) ? 'program' : 'not-executable'
}

/** A script whose `#!` names a program that is gone (a moved virtual environment) could not start either. */
async function checkInterpreter(name: string, path: string): Promise<ResolvedProgram> {
  const interpreter = /^#![ \t]*([^\s\0]+)/.exec(await firstBytes(path))?.[1]
  if (interpreter === undefined || !interpreter.startsWith('/') || (await isExecutable(interpreter)))
    return { status: 'found', path }
  return {
    status: 'not-executable',
    message: `\`${name}\` cannot be run: ${path} asks for the interpreter ${interpreter}, which is not there.`,
  }
}

async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  )
}

/** Empty for a program that may be run but not read: then it is no script. */
async function firstBytes(path: string): Promise<string> {
  const file = await open(path).catch(() => undefined)
  if (file === undefined) return ''
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(256), 0, 256, 0)
    return buffer.toString('latin1', 0, bytesRead)
  } finally {
    await file.close()
  }
}
