import { randomUUID } from 'node:crypto'
import { mkdir, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { PawlError } from '../core/pawl-error.ts'
import { shellWord } from '../core/wording.ts'
import { exists } from './files-on-disk.ts'
import { git, type GitResult } from './git-program.ts'
import { commitAt, findRepository, type Repository } from './git-repository.ts'
import { openShadow, type Shadow } from './git-shadow.ts'
import { snapshotsOf } from './git-snapshot.ts'
import { removeWorktree, worktreeFolder } from './git-worktree.ts'
import { requireName } from './snapshot-name.ts'

/*
 * A bare repository that other machines reach has every snapshot of a run, and the commit that was checked out when the run began. All
 * calls over the network go through the run's shadow, whose settings are ours: an agent can write to the repository's own settings, which
 * name programs that git would start.
 */

/** The project on this machine; if the folder isn't there, a repository for what is fetched is made. */
export async function openClone(top: string, folder: string, remote: string): Promise<Repository> {
  if (!(await exists(top))) {
    const [first] = (await listRemote(remote, [], dirname(top))).values()
    const making = `${top}.${randomUUID()}`
    await mkdir(dirname(top), { recursive: true })
    // A repository is of one kind of hash only.
    await git(['init', '--quiet', `--object-format=${first?.length === 64 ? 'sha256' : 'sha1'}`, making], { cwd: dirname(top) })
    await rename(making, top).catch(() => rm(making, { recursive: true, force: true }))
  }
  await mkdir(folder, { recursive: true })
  return findRepository(folder)
}

/**
 * Fetches what other machines kept of a run. If `since`, its last snapshot, was taken on another machine, the files of the run's worktree
 * here are older: they are kept as a snapshot, and the worktree is removed, to be made again from `since`.
 */
export async function fetchRun(project: Repository, run: string, remote: string, since?: string): Promise<void> {
  const there = await listRemote(remote, [`refs/pawl/${requireName('run id', run)}/*`, headRef(run)], project.top)
  const here = new Map((await snapshotsOf(project, run)).map(({ snapshot, object }) => [snapshot, object]))
  const last = since === undefined ? undefined : there.get(since)
  const isOlder = last !== undefined && here.get(since ?? '') !== last
  if (isOlder && (await exists(worktreeFolder(project.folder, run)))) await removeWorktree(project.folder, run)
  const wanted = [...there].filter(([name, object]) => here.get(name) !== object)
  if (wanted.length === 0) return
  const shadow = await openShadow(project, run)
  const refs = wanted.map(([name]) => `+${name}:${name}`)
  const args = ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', ...(await knownTips(project)), remote, ...refs]
  await overNetwork(() => shadow.git(args, NETWORK), remote)
  // `since` last: once it is here, the files are taken for current ones.
  const inOrder = wanted.toSorted(([one], [other]) => Number(one === since) - Number(other === since))
  await git(['update-ref', '--stdin'], {
    cwd: project.top,
    input: inOrder.map(([name, object]) => `update ${name} ${object}\n`).join(''),
  })
}

/** What is here already needs no transfer: a shadow has no refs by which git would know. */
async function knownTips({ top }: Repository): Promise<readonly string[]> {
  const args = ['for-each-ref', '--sort=-committerdate', '--count=8', '--format=%(objectname)', 'refs/pawl-heads', 'refs/heads']
  const { stdout } = await git(args, { cwd: top })
  return stdout
    .toString('utf8')
    .split('\n')
    .slice(0, -1)
    .map((object) => `--negotiation-tip=${object}`)
}

/** Whether snapshots are here, or have to be fetched. */
export async function fetchMissing(project: Repository, run: string, remote: string, names: readonly string[]): Promise<void> {
  const here = new Set((await snapshotsOf(project, run)).map(({ snapshot }) => snapshot))
  if (names.some((name) => !here.has(name))) await fetchRun(project, run, remote)
}

/** Pushes snapshots, all of the run by default. Returns once the remote has them. */
export async function pushRun(
  shadow: Shadow,
  run: string,
  remote: string,
  only?: readonly (readonly [string, string])[],
): Promise<void> {
  const { repository } = shadow
  const kept = only ?? (await snapshotsOf(repository, run)).map(({ snapshot, object }) => [snapshot, object] as const)
  const head = only ? undefined : await commitAt(repository, 'HEAD')
  const refs = [...kept, ...(head === undefined ? [] : [[headRef(run), head] as const])]
  const words = refs.map(([name, object]) => `+${object}:${name}`)
  await overNetwork(() => shadow.git(['push', '--quiet', '--no-verify', remote, ...words], NETWORK), remote)
}

/** The commit that a run's worktree begins at. It is no snapshot. */
function headRef(run: string): string {
  return `refs/pawl-heads/${requireName('run id', run)}`
}

/** Refs of the remote with what they name. */
async function listRemote(remote: string, patterns: readonly string[], near: string): Promise<ReadonlyMap<string, string>> {
  await mkdir(near, { recursive: true })
  const list = () =>
    git(['ls-remote', '--refs', remote, ...patterns], { cwd: near, ...NETWORK, env: { ...NETWORK.env, GIT_DIR: '/dev/null' } })
  const { stdout } = await overNetwork(list, remote)
  const lines = stdout.toString('utf8').split('\n').slice(0, -1)
  return new Map(lines.map((line) => [line.slice(line.indexOf('\t') + 1), line.slice(0, line.indexOf('\t'))]))
}

/** Tries again for a few seconds: a run should survive what a network does every day. */
async function overNetwork(call: () => Promise<GitResult>, remote: string): Promise<GitResult> {
  for (const pauseMs of [...PAUSES_MS, undefined])
    try {
      return await call()
    } catch (cause) {
      if (pauseMs === undefined) throw unreachable(remote, cause)
      await sleep(pauseMs)
    }
  throw unreachable(remote)
}

const PAUSES_MS = [500, 3000]

function unreachable(remote: string, cause?: unknown): PawlError {
  const said = cause instanceof Error ? cause.message.split('\n').at(-1) : ''
  const sentence = `\`remote\` can't be used: ${said}\nCheck that it is there, and that git can read and write it: git ls-remote ${shellWord(remote)}`
  return new PawlError('workspace.remote', sentence, { value: remote, cause })
}

/** Git starts no transport otherwise. What ssh and proxies need is passed on. */
const NETWORK = {
  env: {
    GIT_ALLOW_PROTOCOL: 'file:git:ssh:http:https',
    ...Object.fromEntries(
      Object.entries(process.env).filter((pair): pair is [string, string] =>
        /^(?:SSH_AUTH_SOCK|GIT_SSH|GIT_SSH_COMMAND|GIT_ASKPASS|SSL_CERT_\w+|GIT_SSL_\w+|(?:https?|all|no)_proxy)$/i.test(pair[0]),
      ),
    ),
  },
  durationMsMax: 10 * 60_000,
}
