import { execFile } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { systemProgram } from '../process/box.ts'
import type { CommandTrouble } from '../process/command-trouble.ts'
import { readOptions } from '../schema/read-options.ts'
import { callFilter } from './filter.ts'
import { isBelow, programFolders, toolchainFolders } from './home-paths.ts'
import type { BoxRequest, Isolation, OpenBox } from './isolation.ts'
import { boxMounts, homes, type Mount, mounts, readableInHome } from './mounts.ts'
import { type BoxBase, openBox, relayProgram } from './open-box.ts'
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

/** Processes of the box only. The kernel's settings belong to the machine, and its root may write them even without capabilities. */
const PROC: readonly string[] = [
  '--proc',
  '/proc',
  ...['sys', 'sysrq-trigger', 'irq', 'bus', 'acpi'].flatMap((name) => ['--ro-bind-try', `/proc/${name}`, `/proc/${name}`]),
]

async function ready(): Promise<CommandTrouble | undefined> {
  const fault = 'environment'
  if (process.platform !== 'linux')
    return {
      fault,
      message: 'The sandbox needs Linux: it is made by bubblewrap.',
      fix: 'Use `isolation: command` with a wrapper of your own, such as [npx, @anthropic-ai/sandbox-runtime] on macOS.',
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
  const base = await openBox(settings, request, true)
  const { cwd, folder, network, variables, relay } = base
  const filter = join(folder, 'filter')
  const calls = callFilter(process.arch)
  if (calls) await writeFile(filter, calls)
  const prefix = [
    ...(calls ? ['/bin/sh', '-c', 'exec "$@" 9<"$0"', filter] : []),
    systemProgram('bwrap') ?? 'bwrap',
    ...(calls ? ['--seccomp', '9'] : []),
    ...NAMESPACES,
    ...(network === 'open' ? [] : ['--unshare-net']),
    '--ro-bind',
    '/',
    '/',
    '--dev',
    '/dev',
    ...PROC,
    ...serviceSockets().flatMap((path) => ['--ro-bind', '/dev/null', path]),
    ...[...mountsOf(settings, base), ...mounts('read', [filter])].flatMap(words),
    ...Object.entries(variables).flatMap(([name, value]) => ['--setenv', name, value]),
    '--chdir',
    cwd,
    '--',
    ...(relay.length === 0 ? [] : [process.execPath, ...relay]),
  ]
  return { ...base, prefix, enforced: { isolation: 'sandbox', by: 'bubblewrap', ...base.rules } }
}

function words({ as, path }: Mount): readonly string[] {
  if (as === 'empty') return ['--tmpfs', path]
  return [as === 'read' ? '--ro-bind' : '--bind', path, path]
}

/** The sockets of this machine's programs, each by its path: a file system that can only be read doesn't keep anybody from connecting. */
function serviceSockets(): readonly string[] {
  const rows = readFileSync('/proc/net/unix', 'utf8').split('\n')
  const paths = rows.flatMap((row) => /^(?:\S+ +){7}(\/.+)$/.exec(row)?.[1] ?? [])
  const hidden = [...PRIVATE, ...homes()]
  return [...new Set(paths)].filter((path) => !hidden.some((place) => isBelow(place, path)) && isSocket(path))
}

function isSocket(path: string): boolean {
  try {
    return statSync(path).isSocket()
  } catch {
    // Gone, or in a folder that this user can't see, and so nobody in the box.
    return false
  }
}

/** The machine's root is there to read, so its private places are hidden first. */
function mountsOf(settings: Settings, { places, network }: BoxBase): readonly Mount[] {
  const hidden = [...PRIVATE, ...homes()].filter((each) => existsSync(each))
  const readable = [
    ...homes().flatMap((each) => programFolders(each, process.env['PATH'] ?? '')),
    ...toolchainFolders(process.env),
    dirname(process.execPath),
    dirname(relayProgram()),
    ...readableInHome(settings),
  ].filter((each) => hidden.some((place) => isBelow(place, each)))
  return [
    ...mounts('empty', hidden),
    ...mounts('read', network === 'open' ? RESOLVERS : []),
    ...mounts('read', readable),
    ...boxMounts(settings, places),
  ]
}

/** Sockets of services are in /run; what others left in the temporary folders is theirs. */
const PRIVATE = ['/tmp', '/var/tmp', '/run']

/** Where the settings for looking up names are on some systems. */
const RESOLVERS = ['/run/systemd/resolve', '/run/resolvconf', '/run/nscd']
