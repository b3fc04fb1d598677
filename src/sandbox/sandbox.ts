import { execFile } from 'node:child_process'
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { mkdir, realpath, rm } from 'node:fs/promises'
import { homedir, userInfo } from 'node:os'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { systemProgram, type BoxNeeds } from '../process/box.ts'
import type { CommandTrouble } from '../process/command-trouble.ts'
import { makeOwnedFolder } from '../process/owned-folder.ts'
import { readOptions } from '../schema/read-options.ts'
import { openEgress, parsedRule } from './egress.ts'
import { isBelow, programFolders } from './home-paths.ts'
import type { BoxRequest, Isolation, OpenBox } from './isolation.ts'
import { refusalList, refusedWrites } from './refusals.ts'
import { SANDBOX, type SandboxOptions } from './settings.ts'

/**
 * A sandbox by bubblewrap: the workspace can be written, the rest of the machine only read, the home folder is hidden, and the network leads
 * through a proxy of Pawl's.
 *
 * @part sandbox
 */
export function sandbox(options: SandboxOptions = {}): Isolation {
  const { writable, readable, allow } = readOptions('sandbox', SANDBOX, options)
  const settings: Settings = { writable: writable ?? [], readable: readable ?? [], allow: allow ?? [] }
  return {
    spec: { name: 'sandbox', v: 1, settings: { ...settings } },
    ready,
    open: (request) => openSandbox(settings, request),
  }
}

type Settings = Required<SandboxOptions>

const run = promisify(execFile)

async function ready(): Promise<CommandTrouble | undefined> {
  const fault = 'environment'
  if (process.platform !== 'linux')
    return {
      fault,
      message: 'The sandbox needs Linux: it is made by bubblewrap.',
      fix: 'Use another isolation, such as `command` with a wrapper of your own.',
    }
  const bwrap = systemProgram('bwrap')
  if (bwrap === undefined)
    return {
      fault,
      message: 'The sandbox needs bubblewrap, and there is no program bwrap.',
      fix: 'Install it: apt install bubblewrap',
    }
  try {
    await run(bwrap, [...NAMESPACES, '--unshare-net', '--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', 'true'], {
      timeout: 10_000,
    })
    return undefined
  } catch (error) {
    const said = (error as { stderr?: string }).stderr?.trim().split('\n').at(-1) ?? String(error)
    return {
      fault,
      message: `bubblewrap can't make a sandbox here: ${said}`,
      fix: 'Let this user make user namespaces (sysctl kernel.unprivileged_userns_clone=1, or an AppArmor profile for bwrap).',
    }
  }
}

/** Nothing inside has a capability, sees a process outside, or outlives Pawl. */
const NAMESPACES = [
  '--unshare-user',
  '--unshare-pid',
  '--unshare-ipc',
  '--unshare-uts',
  '--unshare-cgroup-try',
  '--die-with-parent',
  '--cap-drop',
  'ALL',
]

async function openSandbox(settings: Settings, request: BoxRequest): Promise<OpenBox> {
  const { onRefusal = () => undefined, needs = {} } = request
  const cwd = await realpath(request.cwd)
  const folder = await makeOwnedFolder()
  const refused = refusalList(onRefusal)
  const allow = request.purpose === 'check' ? [] : [...settings.allow, ...(needs.hosts ?? [])]
  const isOpen = allow.includes('*')
  const socket = join(folder, 'proxy.sock')
  const egress =
    isOpen || allow.length === 0
      ? undefined
      : await openEgress({
          socket,
          allowed: allow,
          onRefused: (name, program) => refused.add({ what: 'host', name, ...(program === '' ? {} : { program }) }),
        })
  const see = refusedWrites((path) => refused.add({ what: 'write', name: path }))
  const prefix = [
    systemProgram('bwrap') ?? 'bwrap',
    ...NAMESPACES,
    ...(isOpen ? [] : ['--unshare-net']),
    ...mounts(settings, { cwd, folder, home: await homeOf(needs), isOpen }),
    ...variables(folder, egress !== undefined),
    '--chdir',
    cwd,
    '--',
    ...(egress ? [process.execPath, inside(), socket, [PROXY_PORT, ...localPorts(allow)].join(',')] : []),
  ]
  return {
    prefix,
    cwd,
    folder,
    see,
    refusals: refused.all,
    close: async () => {
      await egress?.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

const PROXY_PORT = 3128

/** Ports of this machine that are allowed by name and port. */
function localPorts(allow: readonly string[]): readonly number[] {
  const rules = allow.map(parsedRule).filter(({ pattern }) => pattern === 'localhost')
  return [...new Set(rules.flatMap(({ port }) => (port === undefined ? [] : [port])))]
}

function variables(folder: string, hasProxy: boolean): readonly string[] {
  const proxy = `http://127.0.0.1:${PROXY_PORT}`
  const names = hasProxy ? ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy'] : []
  const set = {
    TMPDIR: folder,
    ...Object.fromEntries(names.map((name) => [name, proxy])),
    ...(hasProxy ? { NODE_USE_ENV_PROXY: '1' } : {}),
  }
  return Object.entries(set).flatMap(([name, value]) => ['--setenv', name, value])
}

interface Places {
  readonly cwd: string
  readonly folder: string
  /** What an agent needs of the home folder, and writes. */
  readonly home: readonly string[]
  /** Whether it shares the machine's network. */
  readonly isOpen: boolean
}

/** Where an agent keeps its login and its sessions. A folder that isn't there yet is made: what is written to a hidden home is lost. */
async function homeOf({ home: paths = [] }: BoxNeeds): Promise<readonly string[]> {
  const places = paths.map((each) => expanded(isAbsolute(each) ? each : `~/${each}`, realHome()))
  for (const place of places) if (!/\.\w+$/.test(basename(place).slice(1))) await mkdir(place, { recursive: true, mode: 0o700 })
  return places
}

/** Later mounts lie on earlier ones. */
function mounts(settings: Settings, { cwd, folder, home: needed, isOpen }: Places): readonly string[] {
  const home = realHome()
  const inHome = (paths: readonly string[]): readonly string[] => paths.map((each) => expanded(each, home))
  const readable = [
    ...homes().flatMap((each) => programFolders(each, process.env['PATH'] ?? '')),
    dirname(process.execPath),
    dirname(inside()),
    ...inHome(settings.readable),
    ...GIT_SETTINGS.map((each) => join(home, each)),
  ]
  const writable = [...needed, ...inHome(settings.writable)]
  const hidden = [...PRIVATE, ...homes()].filter((each) => existsSync(each))
  return [
    '--ro-bind',
    '/',
    '/',
    '--dev',
    '/dev',
    '--proc',
    '/proc',
    ...hidden.flatMap((each) => ['--tmpfs', each]),
    ...(isOpen ? asIs(RESOLVERS, '--ro-bind-try') : []),
    ...asIs(
      readable.filter((each) => hidden.some((place) => isBelow(place, each))),
      '--ro-bind-try',
    ),
    ...asIs(writable, '--bind-try'),
    '--bind',
    folder,
    folder,
    ...hiddenStores(cwd),
    '--bind',
    cwd,
    cwd,
    ...gitMounts(cwd),
    ...(existsSync(join(cwd, '.pawl')) ? ['--tmpfs', join(cwd, '.pawl')] : []),
    ...asIs(
      ['pawl.yaml', 'pawl.yml'].map((name) => join(cwd, name)).filter((path) => existsSync(path)),
      '--ro-bind',
    ),
  ]
}

function asIs(paths: readonly string[], how: string): readonly string[] {
  return paths.flatMap((each) => [how, each, each])
}

/** Sockets of services are in /run; what others left in the temporary folders is theirs. */
const PRIVATE = ['/tmp', '/var/tmp', '/run']

/** Where the settings for looking up names are on some systems. */
const RESOLVERS = ['/run/systemd/resolve', '/run/resolvconf', '/run/nscd']

/** The user's name and address for commits, and no credentials. */
const GIT_SETTINGS = ['.gitconfig', '.config/git/config', '.config/git/ignore']

function realHome(): string {
  return realOf(homedir())
}

/** Variables can name another home folder than the system knows. */
function homes(): readonly string[] {
  return [...new Set([realHome(), realOf(userInfo().homedir)])]
}

function realOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

function expanded(path: string, home: string): string {
  const way = path === '~' ? home : path.startsWith('~/') ? join(home, path.slice(2)) : path
  return isAbsolute(way) ? way : resolve(way)
}

function readOnly(path: string): readonly string[] {
  return existsSync(path) ? ['--ro-bind', path, path] : []
}

/** The stores above the workspace: a worktree of Pawl's is in one. */
function hiddenStores(cwd: string): readonly string[] {
  const stores: string[] = []
  for (let folder = dirname(cwd); folder !== dirname(folder); folder = dirname(folder))
    if (existsSync(join(folder, '.pawl'))) stores.push('--tmpfs', join(folder, '.pawl'))
  return stores
}

/** Commits are allowed; settings and hooks, which git runs outside as well, are not. */
function gitMounts(cwd: string): readonly string[] {
  return gitFolders(cwd).flatMap((folder) => [
    ...(isBelow(cwd, folder) ? [] : ['--bind', folder, folder]),
    ...['config', 'config.worktree', 'hooks', 'info/attributes'].flatMap((name) => readOnly(join(folder, name))),
  ])
}

/** The repository of a workspace, which for a worktree is elsewhere. */
function gitFolders(cwd: string): readonly string[] {
  for (let folder = cwd; folder !== dirname(folder); folder = dirname(folder)) {
    const git = join(folder, '.git')
    if (!existsSync(git)) continue
    try {
      const pointed = /^gitdir: (.+)$/m.exec(readFileSync(git, 'utf8'))?.[1]
      if (pointed === undefined) return []
      const own = resolve(folder, pointed)
      const common = join(own, 'commondir')
      return existsSync(common) ? [resolve(own, readFileSync(common, 'utf8').trim())] : [own]
    } catch {
      // A folder can't be read as a file: this is the repository itself.
      return [git]
    }
  }
  return []
}

/** The program that runs inside, beside this one in the bundle. */
function inside(): string {
  if (import.meta.url.endsWith('.ts')) return fileURLToPath(new URL('inside.ts', import.meta.url))
  return ['./sandbox-inside.mjs', '../sandbox-inside.mjs']
    .map((place) => fileURLToPath(new URL(place, import.meta.url)))
    .find((path) => existsSync(path)) as string
}
