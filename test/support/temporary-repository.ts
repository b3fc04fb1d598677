import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

/** A folder below the system's temporary one that removes itself at the end of `await using`. */
export async function temporaryFolder(): Promise<{ readonly path: string } & AsyncDisposable> {
  const path = await realpath(await mkdtemp(join(tmpdir(), 'pawl-test-')))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}

/** A repository with one commit of `files`, in a folder that removes itself. */
export async function temporaryRepository(files: Readonly<Record<string, string>> = { 'a.txt': 'a\n' }) {
  const folder = await temporaryFolder()
  await userGit(folder.path, 'init', '--quiet', '--initial-branch=main')
  await writeFiles(folder.path, files)
  await userGit(folder.path, 'add', '--all', '--force')
  await userGit(folder.path, 'commit', '--quiet', '--allow-empty', '--message=first')
  return folder
}

/** Writes files and the folders they need. */
export async function writeFiles(root: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), content)
  }
}

/** All that git gets to know in tests: nobody's configuration, one identity, and no unasked writing. */
export const gitTestEnvironment: Readonly<Record<string, string>> = {
  PATH: process.env['PATH'] ?? '',
  HOME: '/nonexistent',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_AUTHOR_NAME: 'Test',
  GIT_AUTHOR_EMAIL: 'test@localhost',
  GIT_COMMITTER_NAME: 'Test',
  GIT_COMMITTER_EMAIL: 'test@localhost',
}

/** Runs git as a user would, and answers with what it printed. */
export async function userGit(cwd: string, ...args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('git', args, { cwd, env: gitTestEnvironment, maxBuffer: 64 * 1024 * 1024 })
  return stdout
}

/** What a user has in a repository besides files: index bytes, HEAD, refs, stash, reflogs, configuration and status. */
export async function userState(top: string): Promise<Record<string, string>> {
  const gitDir = join(top, '.git')
  const logs = await readdir(join(gitDir, 'logs'), { recursive: true, withFileTypes: true }).catch(() => [])
  const reflogs = logs.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const files = [...['index', 'HEAD', 'config', 'packed-refs', 'info/exclude'].map((name) => join(gitDir, name)), ...reflogs]
  const contents = files.map(async (file) => [file, await readFile(file, 'latin1').catch(() => 'absent')] as const)
  const refs = await userGit(top, 'for-each-ref')
  return {
    ...Object.fromEntries(await Promise.all(contents)),
    refs: refs
      .split('\n')
      .filter((line) => !line.includes('\trefs/pawl/'))
      .join('\n'),
    stash: await userGit(top, 'stash', 'list'),
    status: await userGit(top, 'status', '--porcelain=v2', '--untracked-files=all', '--ignored'),
  }
}
