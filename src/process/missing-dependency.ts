import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { withParents } from './with-parents.ts'

/**
 * How to get a package that Node did not find: only when a package.json asks for it and nothing at all is installed. A package
 * that nobody declared, or that is missing among others, is for the agent to mend.
 */
export async function missingDependencyFix(module: string, cwd: string): Promise<string | undefined> {
  const name = /^(?:@[\w.~-]+\/)?[\w.~-]+/.exec(module)?.[0]
  if (name === undefined || /^[./]|^node:/.test(module)) return undefined
  let isDeclared = false
  for (const folder of withParents(cwd)) {
    if ((await stat(join(folder, 'node_modules')).catch(() => undefined)) !== undefined) return undefined
    isDeclared ||= await declares(join(folder, 'package.json'), name)
  }
  return isDeclared ? `Install the dependencies (npm install, or the project's own way), then resume.` : undefined
}

async function declares(path: string, name: string): Promise<boolean> {
  try {
    const manifest = JSON.parse(await readFile(path, 'utf8')) as Record<string, Record<string, unknown> | undefined>
    return ['dependencies', 'devDependencies', 'optionalDependencies'].some((field) => manifest[field]?.[name] !== undefined)
  } catch {
    // No package.json, or none that can be read: then it declares nothing.
    return false
  }
}
