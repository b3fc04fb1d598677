import { createHash } from 'node:crypto'
import { readdir, readFile, readlink, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { absent, onDisk, readableName } from './files-on-disk.ts'
import type { Shadow } from './git-shadow.ts'

/**
 * Notes about what the user's own git obeys since the last look: settings, hooks and files that lead to other settings. Pawl's git doesn't.
 * `repositories` are the repositories inside the work tree, by raw names: git looks into those that it tracks.
 */
export async function settingNotes(shadow: Shadow, repositories: readonly string[]): Promise<readonly string[]> {
  const place = join(shadow.gitDir, SEEN)
  const was = seenIn(await readFile(place, 'utf8').catch(absent))
  const now = await obeyed(shadow, repositories)
  const text = JSON.stringify(now)
  if (JSON.stringify(was) !== text) await writeFile(place, text)
  if (was === undefined) return []
  const changed = Object.keys(now).filter((name) => was[name] !== now[name])
  if (changed.length === 0) return []
  const more = changed.length > NAMED_MAX ? ` and ${changed.length - NAMED_MAX} more` : ''
  return [`your own git now obeys ${changed.slice(0, NAMED_MAX).join(', ')}${more}: look at it before you use git here`]
}

const SEEN = 'settings-seen'
const NAMED_MAX = 5

/** A digest for each thing that git obeys, by its name: `core.fsmonitor (.git/config)`, `.git/hooks/pre-commit`. */
type Obeyed = Readonly<Record<string, string>>

function seenIn(text: string | undefined): Obeyed | undefined {
  try {
    return text === undefined ? undefined : (JSON.parse(text) as Obeyed)
  } catch {
    // A crash cut it off.
    return undefined
  }
}

async function obeyed({ repository }: Shadow, repositories: readonly string[]): Promise<Obeyed> {
  const { top, gitDir, commonDir } = repository
  const inside = repositories.map((name) => onDisk(top, `${name}.git`).toString('utf8'))
  const folders = new Set([gitDir, commonDir, ...inside, ...(await modulesBelow(join(commonDir, 'modules')))])
  const found: Record<string, string> = {}
  const add = (name: string, content: string): void => {
    found[name] = createHash('sha256')
      .update((found[name] ?? '') + content)
      .digest('hex')
      .slice(0, 16)
  }
  for (const folder of folders) {
    const named = (name: string): string => readableName(relative(top, join(folder, name)))
    for (const name of ['config', 'config.worktree']) {
      // A link may lead to a file that the agent can't read: only where it leads is looked at.
      const target = await readlink(join(folder, name)).catch(() => undefined)
      if (target !== undefined) add(named(name), target)
      else for (const [key, value] of settingsIn(await textAt(join(folder, name)))) add(`${key} (${named(name)})`, value)
    }
    const hooks = (await readdir(join(folder, 'hooks')).catch(absent)) ?? []
    const plain = [
      'commondir',
      'info/attributes',
      ...hooks.filter((name) => !name.endsWith('.sample')).map((name) => `hooks/${name}`),
    ]
    for (const name of plain) {
      const content = await textAt(join(folder, name))
      if (content !== '') add(named(name), content)
    }
  }
  // In a worktree, and in a repository inside, this is a file that leads to the settings.
  for (const path of [join(top, '.git'), ...inside]) {
    const content = await textAt(path)
    if (content !== '') add(relative(top, path), content)
  }
  return found
}

/** A file's text; empty if it can't be read or is a folder. */
async function textAt(path: string): Promise<string> {
  return readFile(path, 'latin1').catch(() => '')
}

/** The repositories of submodules, whose names may have slashes. */
async function modulesBelow(folder: string): Promise<readonly string[]> {
  const entries = (await readdir(folder, { withFileTypes: true }).catch(absent)) ?? []
  if (entries.some(({ name }) => name === 'HEAD')) return [folder, ...(await modulesBelow(join(folder, 'modules')))]
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name))
  return (await Promise.all(folders.map(modulesBelow))).flat()
}

/** The settings of a file of git's as key and value, without those that git writes by itself and the user's name: they start nothing. */
function settingsIn(text: string): readonly (readonly [string, string])[] {
  let section = ''
  return text.split('\n').flatMap((line) => {
    const [, header, rest = line] = /^\s*\[([^\]]*)\]?(.*)$/.exec(line) ?? []
    if (header !== undefined) section = header.replace(/\s*"(.*)"/, '.$1')
    const [, key, value = ''] = /^\s*([^\s=#;]+)\s*=?(.*)$/.exec(rest) ?? []
    return key === undefined || HARMLESS.test(`${section}.${key}`) ? [] : [[`${section}.${key}`, value] as const]
  })
}

const HARMLESS =
  /^(?:branch\.|user\.(?:name|email)$|core\.(?:repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks)$)/i
