import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { ProcessIdentity } from '../core/event-data.ts'
import type { JsonObject } from '../core/json.ts'
import { TOOLCHAIN_VARIABLES } from '../process/command-options.ts'
import { type BoxNeeds, SYSTEM_FOLDERS, systemProgram } from '../process/box.ts'
import type { CommandTrouble } from '../process/command-trouble.ts'
import { currentProcessIdentity, isProcessAlive } from '../process/process-identity.ts'
import { readOptions } from '../schema/read-options.ts'
import type { BoxRequest, Isolation, OpenBox } from './isolation.ts'
import { boxMounts, type Mount, mounts, readableInHome, realHome } from './mounts.ts'
import { type BoxBase, hostsFor, openBox, relayProgram } from './open-box.ts'
import { CONTAINER, type ContainerOptions, type ImageBuild, type SandboxOptions } from './settings.ts'

/**
 * A container by podman, or by docker if there is no podman: the programs are the image's, the workspace is at its own path, and the network
 * leads through a proxy of Pawl's.
 *
 * @part container
 */
export function container(options: ContainerOptions): Isolation {
  const { writable = [], readable = [], allow = [], image, variables = {} } = readOptions('container', CONTAINER, options)
  const { build } = options
  const allowed = { writable, readable, allow }
  const settings: Settings = { allowed, image, build, variables }
  let found: Promise<Image | CommandTrouble> | undefined
  // An image that changes under its name is another one for the next process only.
  const imageNow = (): Promise<Image | CommandTrouble> => (found ??= findImage(settings))
  return {
    spec: {
      name: 'container',
      v: 1,
      settings: {
        ...allowed,
        ...(image === undefined ? {} : { image }),
        ...(build ? { build: { ...build } } : {}),
        variables,
      } as JsonObject,
    },
    hasOwnPrograms: true,
    ready: async (needs) => {
      const now = await imageNow()
      return 'fault' in now ? now : tryImage(settings, now, needs)
    },
    open: async (request) => {
      const now = await imageNow()
      if ('fault' in now) throw new Error(`${now.message} ${now.fix}`)
      return openContainer(settings, now, request)
    },
  }
}

interface Settings {
  readonly allowed: Required<SandboxOptions>
  readonly image: string | undefined
  readonly build: ImageBuild | undefined
  readonly variables: Readonly<Record<string, string>>
}

/** An image that is on this machine, and who runs it. */
interface Image {
  readonly engine: Engine
  readonly id: string
  /** As the user calls it. */
  readonly name: string
}

interface Engine {
  readonly program: string
  readonly isPodman: boolean
  /** The words that start it: the program, and what this machine needs around it. */
  readonly start: readonly string[]
}

const run = promisify(execFile)

async function findImage({ image, build }: Settings): Promise<Image | CommandTrouble> {
  const missing = engineTrouble()
  if (missing) return missing
  const engine = findEngine() as Engine
  if (image === undefined && !build)
    return {
      fault: 'config',
      message: 'A container needs an image.',
      fix: 'Set `sandbox: { image: … }` in pawl.yaml, or add .devcontainer/devcontainer.json.',
    }
  try {
    const name = image ?? buildName(build as ImageBuild)
    const known = await idOf(engine, name)
    if (known !== undefined) return { engine, id: known, name }
    await call(engine, build && image === undefined ? buildWords(build, name) : ['pull', '--quiet', name], MAKE_MS_MAX)
    return { engine, id: (await idOf(engine, name)) ?? name, name }
  } catch (error) {
    const what = image === undefined ? `The image of ${build?.dockerfile} can't be built` : `There is no image ${image}`
    return {
      fault: 'environment',
      message: `${what}: ${lastWords(error)}`,
      fix:
        image === undefined
          ? 'Correct the Dockerfile.'
          : `Correct the name, or make it available: ${basename(engine.program)} pull ${image}`,
    }
  }
}

/** Why no container can be started here, as far as that is known without starting one. */
export function engineTrouble(): CommandTrouble | undefined {
  if (process.platform !== 'linux')
    return {
      fault: 'environment',
      message: "Pawl's containers need Linux: elsewhere they run in a virtual machine, which the proxy's socket doesn't reach.",
      fix: 'Use `isolation: command` with a wrapper of your own.',
    }
  if (findEngine()) return undefined
  return {
    fault: 'environment',
    message: 'A container needs podman or docker, and there is neither.',
    fix: 'Install one: apt install podman',
  }
}

/** Pulling or building an image may take this long. */
const MAKE_MS_MAX = 20 * 60_000
const CALL_MS_MAX = 30_000

function findEngine(): Engine | undefined {
  const [podman, docker] = ['podman', 'docker'].map(systemProgram)
  if (podman !== undefined) return { program: podman, isPodman: true, start: podmanStart(podman) }
  return docker === undefined ? undefined : { program: docker, isPodman: false, start: [docker] }
}

/**
 * crun, podman's usual runtime, refuses every container on a machine that has control groups of both versions with controllers in the second.
 * runc doesn't; without it, podman is started where the second hierarchy can't be seen.
 */
function podmanStart(podman: string): readonly string[] {
  if (!hasMixedControlGroups()) return [podman]
  const runc = systemProgram('runc')
  if (runc !== undefined) return [podman, `--runtime=${runc}`]
  const isRoot = process.getuid?.() === 0
  const apart = isRoot ? [systemProgram('unshare') ?? 'unshare', '--mount'] : [podman, 'unshare']
  return [...apart, '/bin/sh', '-c', `mount -t tmpfs none ${SECOND_HIERARCHY} && exec "$@"`, 'sh', podman]
}

const SECOND_HIERARCHY = '/sys/fs/cgroup/unified'

function hasMixedControlGroups(): boolean {
  try {
    return readFileSync(`${SECOND_HIERARCHY}/cgroup.controllers`, 'utf8').trim() !== ''
  } catch {
    return false
  }
}

async function call({ start }: Engine, words: readonly string[], timeout = CALL_MS_MAX): Promise<string> {
  const [program = '', ...before] = start
  return (await run(program, [...before, ...words], { timeout, maxBuffer: 64 * 1024 * 1024 })).stdout.trim()
}

function lastWords(error: unknown): string {
  const { stderr, message } = error as { stderr?: string; message: string }
  return (stderr?.trim() || message).split('\n').at(-1) as string
}

/** `undefined` if this machine doesn't have it, and also if the engine doesn't work: then what comes next says why. */
async function idOf(engine: Engine, name: string): Promise<string | undefined> {
  return call(engine, ['image', 'inspect', '--format', '{{.Id}}', name]).catch(() => undefined)
}

/** Another text of the Dockerfile is another image. The other files of its folder don't count: an agent can change them. */
function buildName(build: ImageBuild): string {
  const text = existsSync(build.dockerfile) ? readFileSync(build.dockerfile, 'utf8') : ''
  return `localhost/pawl-${createHash('sha256')
    .update(JSON.stringify([build, text]))
    .digest('hex')
    .slice(0, 24)}`
}

function buildWords({ dockerfile, context, args = {}, target }: ImageBuild, name: string): readonly string[] {
  return [
    'build',
    '--file',
    dockerfile,
    '--tag',
    name,
    ...(target === undefined ? [] : ['--target', target]),
    ...Object.entries(args).flatMap(([arg, value]) => ['--build-arg', `${arg}=${value}`]),
    context,
  ]
}

/** Starts a container and looks for the programs in it that an agent needs. */
async function tryImage(
  { allowed }: Settings,
  { engine, id, name }: Image,
  needs: BoxNeeds | undefined,
): Promise<CommandTrouble | undefined> {
  await removeOrphans(engine)
  const hosts = needs ? hostsFor(allowed, { purpose: 'work', needs }) : []
  const hasRelay = hosts.length > 0 && !hosts.includes('*')
  // A path may be in the workspace, which isn't here.
  const programs = [...(hasRelay ? ['node'] : []), needs?.program ?? '']
  const wanted = programs.filter((each) => each !== '' && !each.includes('/'))
  try {
    const words = [...(await confinement(engine)), '--network=none', id, '/bin/sh', '-c', LOOK_FOR, 'sh', ...wanted]
    const missing = await call(engine, ['run', ...words])
    if (missing === '') return undefined
    return {
      fault: 'config',
      message: `The image ${name} has no program ${missing.split('\n').join(', ')}.`,
      fix:
        missing === 'node'
          ? 'Install Node in the image: it carries the connections to allowed hosts. Or set `allow: []` or `allow: ["*"]`.'
          : 'Install it in the image.',
    }
  } catch (error) {
    return {
      fault: 'environment',
      message: `${basename(engine.program)} can't start a container from ${name}: ${lastWords(error)}`,
      fix: lastWords(error).includes('hybrid mode')
        ? 'Install runc, which works with this arrangement of control groups: apt install runc'
        : `Try it yourself: ${basename(engine.program)} run --rm ${name} /bin/sh`,
    }
  }
}

const LOOK_FOR = 'for each do command -v "$each" >/dev/null || echo "$each"; done'

/** What every container is kept from. Its files are those of the image, and can't be changed. */
async function confinement(engine: Engine): Promise<readonly string[]> {
  return [
    '--rm',
    '--init',
    '--interactive',
    '--pull=never',
    '--entrypoint=',
    '--read-only',
    ...PRIVATE.map((path) => emptyFolder(engine, path)),
    '--cap-drop=ALL',
    '--security-opt=no-new-privileges',
    // The user's files have no label that a container may touch, and relabelling them would change them for others.
    '--security-opt=label=disable',
    '--log-driver=none',
    ...(engine.isPodman ? limitWords() : []),
    ...(await userWords(engine)),
  ]
}

/** Podman's own limits can be above those of this machine, and then nothing starts. */
function limitWords(): readonly string[] {
  const text = readFileSync('/proc/self/limits', 'utf8')
  const most = (name: string): number =>
    Number(new RegExp(`Max ${name}\\s+\\S+\\s+(\\d+)`).exec(text)?.[1] ?? Number.MAX_SAFE_INTEGER)
  const [files, processes] = [Math.min(FILES_MAX, most('open files')), Math.min(PROCESSES_MAX, most('processes'))]
  return [`--ulimit=nofile=${files}:${files}`, `--ulimit=nproc=${processes}:${processes}`]
}

const FILES_MAX = 1_048_576
/** Podman lowers its own limit to this, and can't give a container more. */
const PROCESSES_MAX = 32_768

const PRIVATE = ['/tmp', '/var/tmp', '/run']

/** The user inside is the one outside, so that files belong to them. */
async function userWords(engine: Engine): Promise<readonly string[]> {
  const [user = 0, group = 0] = [process.getuid?.(), process.getgid?.()]
  const same = `--user=${user}:${group}`
  if (engine.isPodman) return user === 0 ? [same] : ['--userns=keep-id', same]
  const isRootless = (await call(engine, ['info', '--format', '{{.SecurityOptions}}'])).includes('rootless')
  return [isRootless ? '--user=0:0' : same]
}

async function openContainer(settings: Settings, { engine, id }: Image, request: BoxRequest): Promise<OpenBox> {
  const base = await openBox(settings.allowed, request)
  const { cwd, folder, network, relay } = base
  const label = `${LABEL}.box=${basename(folder)}`
  const names = join(folder, 'variables')
  const variables = { ...settings.variables, HOME: realHome(), ...base.variables }
  const prefix = [
    '/bin/sh',
    '-c',
    START,
    'pawl-container',
    names,
    ...ENGINE_VARIABLES.flatMap((name) => (process.env[name] === undefined ? [] : [`${name}=${process.env[name]}`])),
    ...engine.start,
    'run',
    ...(await confinement(engine)),
    `--label=${label}`,
    `--label=${OWNER}=${ownerText(currentProcessIdentity())}`,
    ...(network === 'open' ? [] : ['--network=none']),
    ...mountsOf(settings, base).map((mount) => word(engine, mount)),
    `--env-file=${names}`,
    ...Object.entries(variables).map(([name, value]) => `--env=${name}=${value}`),
    `--workdir=${cwd}`,
    id,
    ...(relay.length === 0 ? [] : ['node', ...relay]),
  ]
  return {
    ...base,
    prefix,
    hasOwnPrograms: true,
    enforced: { isolation: 'container', by: basename(engine.program), image: id, ...base.rules },
    close: async () => {
      await removeAll(engine, await containers(engine, label))
      await base.close()
    },
  }
}

const OWN_NAMES = ['PATH', 'HOME', 'TMPDIR', 'PWD', 'OLDPWD', 'SHLVL', '_', ...TOOLCHAIN_VARIABLES]
  .map((name) => name.replace('*', '.*'))
  .join('|')

/** An engine doesn't hand its own variables in, so their names are written to a file that it reads. PATH, HOME and the toolchains are the image's and ours. */
const START = `PATH=${SYSTEM_FOLDERS.join(':')}
env | sed -n 's/^\\([A-Za-z_][A-Za-z0-9_]*\\)=.*/\\1/p' | grep -vxE '${OWN_NAMES}' > "$1"
shift
exec env "$@"`

/** Variables by which the engine finds its containers. */
const ENGINE_VARIABLES = [
  'XDG_RUNTIME_DIR',
  'CONTAINERS_CONF',
  'CONTAINERS_STORAGE_CONF',
  'CONTAINER_HOST',
  'DOCKER_HOST',
  'DOCKER_CONTEXT',
  'DOCKER_CONFIG',
]

function mountsOf({ allowed }: Settings, { places, relay }: BoxBase): readonly Mount[] {
  return [
    { as: 'empty', path: realHome() },
    ...mounts('read', [...readableInHome(allowed), ...(relay.length === 0 ? [] : [dirname(relayProgram())])]),
    ...boxMounts(allowed, places),
  ]
}

/** An engine mounts outer folders first, whatever their order. */
function word(engine: Engine, { as, path }: Mount): string {
  if (as === 'empty') return emptyFolder(engine, path)
  return `--volume=${path}:${path}:${as === 'read' ? 'ro' : 'rw'}`
}

/** Podman would copy what is at that path into it. */
function emptyFolder({ isPodman }: Engine, path: string): string {
  return `--tmpfs=${path}:rw,exec,mode=1777${isPodman ? ',notmpcopyup' : ''}`
}

const LABEL = 'pawl'
const OWNER = `${LABEL}.owner`

function ownerText({ pid, startedAt, host }: ProcessIdentity): string {
  return Buffer.from(JSON.stringify([pid, startedAt, host])).toString('base64url')
}

/** A container doesn't end with the process that started it: those whose Pawl was killed are ended here. */
async function removeOrphans(engine: Engine): Promise<void> {
  const ids = await containers(engine, OWNER).catch(() => [])
  for (const id of ids) {
    const text = await call(engine, ['inspect', '--format', `{{index .Config.Labels "${OWNER}"}}`, id]).catch(() => '')
    const [pid, startedAt, host] =
      text === '' ? [] : (JSON.parse(Buffer.from(text, 'base64url').toString()) as [number, string, string])
    if (pid !== undefined && isProcessAlive({ pid, startedAt, host } as ProcessIdentity) === false) await removeAll(engine, [id])
  }
}

async function containers(engine: Engine, label: string): Promise<readonly string[]> {
  return (await call(engine, ['ps', '--all', '--quiet', '--filter', `label=${label}`])).split('\n').filter((id) => id !== '')
}

async function removeAll(engine: Engine, ids: readonly string[]): Promise<void> {
  // One that just ended is removed by its engine.
  if (ids.length > 0)
    await call(engine, ['rm', '--force', ...(engine.isPodman ? ['--time=0'] : []), ...ids]).catch(() => undefined)
}
