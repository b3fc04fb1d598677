import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { constants, existsSync } from 'node:fs'
import {
  chmod,
  copyFile,
  lstat,
  lutimes,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  realpath,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { isCodeFile, isSnapshotFile } from '../core/measures/test-file.ts'
import { systemProgram, type Box } from '../process/box.ts'
import type { SnapshotFiles } from '../workspaces/workspace.ts'
import type { RoomChanges } from './crossing.ts'

/** Where a room is: at the workspace's own path for whatever runs in it (`mount`), or elsewhere (`copy`). */
export type RoomPlace = 'mount' | 'copy'

/** A fresh copy of a tree, made for one trial and thrown away. */
export interface Room {
  readonly place: RoomPlace
  /** The folder to work in. With a `box`, as it is seen from outside: only what was written in the room is in it. */
  readonly cwd: string
  readonly box?: Box
  /** Whether the command before began: a mount that fails says nothing about it. */
  hasBegun(): Promise<boolean>
  /** Whether a path below it is there, as a command in it sees it. */
  has(path: string): Promise<boolean>
  close(): Promise<void>
}

export interface RoomRequest {
  readonly run: string
  /** The workspace. */
  readonly cwd: string
  readonly present: SnapshotFiles
  /** How the room's tree differs from the present one. */
  readonly changes: RoomChanges
  /** What the folder has besides: dependencies, generated files. */
  leftOut(): Promise<readonly string[]>
  /** Gives the files one new time, so that what was built from them before is built again. */
  readonly isBuilt?: boolean
  /** Files and folders outside the workspace that a mounted room doesn't have. */
  readonly hidden?: readonly string[]
  /** Makes a copy in any case, for a check that looks at files itself and starts no process. */
  readonly isCopy?: boolean
}

/** Makes a room: by a mount of its own where the system lets us, as a copy otherwise. */
export async function openRoom(given: RoomRequest): Promise<Room> {
  const request = { ...given, changes: withFolders(given) }
  return (request.isCopy ? undefined : await mountedRoom(request)) ?? copiedRoom(request)
}

/** A file or a link may be where the start had a folder: it makes room for the folder's files. */
function withFolders({ present, changes }: RoomRequest): RoomChanges {
  const folders = new Set(changes.write.flatMap(({ path }) => foldersAbove(path)))
  const inTheWay = [...folders].filter((folder) => present.files.has(folder))
  return inTheWay.length === 0 ? changes : { ...changes, remove: [...changes.remove, ...inTheWay] }
}

function foldersAbove(path: string): readonly string[] {
  const above = dirname(path)
  return above === '.' ? [] : [above, ...foldersAbove(above)]
}

const run = promisify(execFile)

/** Removes what a process that was killed left of this run's rooms. */
export async function removeOldRooms(request: Pick<RoomRequest, 'run' | 'cwd'>): Promise<void> {
  const prefix = roomPrefix(request)
  const names = await readdir(tmpdir()).catch(() => [])
  for (const name of names.filter((each) => each.startsWith(prefix))) await removeRoom(join(tmpdir(), name))
}

/** Another project may have a run of the same name, so the folder is part of it. */
function roomPrefix({ run: id, cwd }: Pick<RoomRequest, 'run' | 'cwd'>): string {
  return `pawl-room-${createHash('sha256').update(`${cwd}\0${id}`).digest('hex').slice(0, 16)}-`
}

/**
 * The workspace's path shows the present files with the changes on top (an overlay in a mount namespace), and whatever is written goes
 * elsewhere. Nothing is copied, and links and installed packages that name the workspace's path lead into the room.
 */
async function mountedRoom(request: RoomRequest): Promise<Room | undefined> {
  const { cwd, present, changes } = request
  const programs = ['unshare', 'mount', 'sh'].map(systemProgram)
  const workspace = await realpath(cwd)
  // These separate the options of an overlay.
  if (process.platform !== 'linux' || programs.includes(undefined) || /[,:\\]/.test(workspace)) return undefined
  const [unshare = '', , sh = ''] = programs as string[]
  const base = await mkdtemp(join(tmpdir(), roomPrefix(request)))
  const close = (): Promise<void> => removeRoom(base)
  for (const folder of ['upper', 'work', 'fill']) await mkdir(join(base, folder))
  await fill(join(base, 'fill'), changes)
  const removed = [
    ...changes.remove,
    ...changes.remove.flatMap(builtFrom),
    ...changes.write.map(({ path }) => path),
    ...(await cachesIn(workspace, present)),
  ]
  await writeFile(join(base, 'remove'), removed.map((path) => `./${path}\0`).join(''))
  await writeFile(join(base, 'hide'), (request.hidden ?? []).map((path) => `${path}\n`).join(''))
  if (request.isBuilt) await writeFile(join(base, 'touch'), [...present.files.keys()].map((path) => `./${path}\0`).join(''))
  const [user, group] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0]
  const outer = user === 0 ? [unshare, '--mount', '--propagation', 'private'] : [unshare, '--user', '--map-root-user', '--mount']
  const prefix = (step: 'prepare' | 'enter') => [
    ...outer,
    sh,
    '-c',
    SCRIPT,
    'pawl-room',
    step,
    workspace,
    base,
    String(user),
    String(group),
  ]
  const [program = '', ...words] = prefix('prepare')
  try {
    await run(program, [...words, 'true'], { timeout: 60_000 })
  } catch {
    await close()
    return undefined
  }
  const hasBegun = (): Promise<boolean> =>
    rm(join(base, 'begun')).then(
      () => true,
      () => false,
    )
  const has = async (path: string): Promise<boolean> => {
    const [first = '', ...rest] = prefix('enter')
    const isThere = await run(first, [...rest, 'test', '-e', path], { cwd }).then(
      () => true,
      () => false,
    )
    await hasBegun()
    return isThere
  }
  return { place: 'mount', cwd: join(base, 'upper'), box: { prefix: prefix('enter'), cwd }, hasBegun, has, close }
}

/**
 * Mounts, changes what has to differ the first time, and continues as the command. An ordinary user keeps their own id. Any exit code may be
 * the command's own, so a file says that it began.
 */
const SCRIPT = `step=$1 workspace=$2 base=$3 user=$4 group=$5; shift 5
[ "$user" = 0 ] || options=userxattr,
mount -t overlay pawl-room -o "\${options}lowerdir=$workspace,upperdir=$base/upper,workdir=$base/work" "$workspace" || exit 97
cd "$workspace" || exit 97
if [ "$step" = prepare ]; then
  xargs -0 -r rm -rf -- < "$base/remove" && cp -a "$base/fill/." . || exit 97
  [ ! -e "$base/touch" ] || xargs -0 -r touch -c -h -d "@$(date +%s.%N)" -- < "$base/touch" 2> /dev/null
fi
# A folder without some of its entries: an overlay, in which the workspace and this room are as they were.
hide() {
  mount -t tmpfs pawl-room "$base/hidden" && mkdir "$base/hidden/upper" "$base/hidden/work" || return
  mount -t overlay pawl-room -o "\${options}lowerdir=$1,upperdir=$base/hidden/upper,workdir=$base/hidden/work" "$1" || return
  while IFS= read -r path; do case $path in "$1"/*) rm -rf -- "$path";; esac; done < /dev/fd/5
  case $workspace/ in "$1"/*) mount -c --bind /proc/self/fd/3 "$workspace";; esac
  case $base/ in "$1"/*) mount -c --bind /proc/self/fd/4 "$base";; esac
}
if [ "$step" = enter ] && [ -s "$base/hide" ]; then
  mkdir -p "$base/hidden"
  exec 3< "$workspace" 4< "$base"
  for folder in $(sed 's|/[^/]*$||' "$base/hide" | sort -u); do
    hide "$folder" 5< "$base/hide" 2> /dev/null
  done
  exec 3<&- 4<&-
  cd "$workspace" || exit 97
fi
[ "$step" = prepare ] || : > "$base/begun"
[ "$user" = 0 ] && exec "$@"
exec unshare --user --map-user="$user" --map-group="$group" -- "$@"`

/** A copy at another path. Packages are linked, not copied; a link inside the workspace leads to the copy. */
export async function copiedRoom(request: RoomRequest): Promise<Room> {
  const { cwd, present, changes, leftOut, isBuilt } = request
  const base = await mkdtemp(join(tmpdir(), roomPrefix(request)))
  const folder = join(base, 'copy')
  await mkdir(folder)
  const isReplaced = new Set([...changes.remove, ...changes.write.map(({ path }) => path)])
  for (const path of present.files.keys()) if (!isReplaced.has(path)) await copyPath(join(cwd, path), join(folder, path))
  await fill(folder, changes)
  for (const path of await leftOut()) await bring(cwd, folder, path)
  for (const path of changes.remove.flatMap(builtFrom)) await rm(join(folder, path), { force: true })
  // What was built came last, so it would look newer than its sources.
  const now = new Date(Date.now() + 1)
  if (isBuilt) for (const path of present.files.keys()) await lutimes(join(folder, path), now, now).catch(() => undefined)
  if (existsSync(join(cwd, '.git')) && !existsSync(join(folder, '.git')))
    await writeFile(join(folder, '.git'), `gitdir: ${await gitFolder(cwd)}\n`)
  const has = async (path: string): Promise<boolean> => existsSync(join(folder, path))
  return { place: 'copy', cwd: folder, hasBegun: async () => true, has, close: () => removeRoom(base) }
}

/** What compilers leave beside a source file: without the source nothing would replace it. */
function builtFrom(path: string): readonly string[] {
  const [, stem] = /^(.*)\.(?:c|cc|cpp|cxx|m|s|java|kt)$/i.exec(path) ?? []
  return stem === undefined ? [] : ['o', 'lo', 'obj', 'class'].map((end) => `${stem}.${end}`)
}

/** Files that are not, or no more, as they were put into a room, among those that `isWatched`; new ones don't count. */
export async function changedInRoom(
  room: Pick<Room, 'place' | 'cwd'>,
  { cwd, present, changes }: Pick<RoomRequest, 'cwd' | 'present' | 'changes'>,
  isWatched: (path: string) => boolean,
): Promise<readonly string[]> {
  const written = new Map(changes.write.map((file) => [file.path, file]))
  const removed = new Set(changes.remove)
  const isThere = (path: string): boolean => written.has(path) || (present.files.has(path) && !removed.has(path))
  // A mounted room has on its own only what was written in it.
  const paths = room.place === 'copy' ? [...present.files.keys(), ...written.keys()] : await filesBelow(room.cwd)
  const changed: string[] = []
  for (const path of new Set(paths)) {
    // Code that was put into the room has tests inside it.
    if (!isThere(path) || !(isWatched(path) || (written.has(path) && isCodeFile(path))) || isSnapshotFile(path)) continue
    if ((written.get(path)?.kind ?? present.files.get(path)?.kind) === 'link') continue
    const found = await lstat(join(room.cwd, path)).catch(() => undefined)
    const now = found?.isFile() ? await readFile(join(room.cwd, path)) : undefined
    const before = written.get(path)?.content ?? (await readFile(join(cwd, path)).catch(() => undefined))
    if (before !== undefined && !(now && before.equals(now))) changed.push(path)
  }
  return changed
}

/** The state of a room's files that `isWatched`, which nobody can put back: a file that was written to has another one. */
export async function stampsIn(
  room: Pick<Room, 'place' | 'cwd'>,
  { present, changes }: Pick<RoomRequest, 'present' | 'changes'>,
  isWatched: (path: string) => boolean,
): Promise<ReadonlyMap<string, string>> {
  const paths =
    room.place === 'copy' ? [...present.files.keys(), ...changes.write.map(({ path }) => path)] : await filesBelow(room.cwd)
  const stamps = new Map<string, string>()
  for (const path of paths.filter(isWatched)) {
    const found = await lstat(join(room.cwd, path)).catch(() => undefined)
    if (found) stamps.set(path, `${found.ino} ${found.ctimeMs}`)
  }
  return stamps
}

async function filesBelow(top: string, folder = ''): Promise<readonly string[]> {
  const entries = await readdir(join(top, folder), { withFileTypes: true }).catch(() => [])
  const found = entries.map(async (entry) => {
    const path = folder + entry.name
    if (!entry.isDirectory()) return [path]
    return ['node_modules', '.git', 'target'].includes(entry.name) ? [] : filesBelow(top, `${path}/`)
  })
  return (await Promise.all(found)).flat()
}

async function fill(folder: string, { write }: RoomChanges): Promise<void> {
  for (const { path, kind, content } of write) {
    const place = join(folder, path)
    await mkdir(dirname(place), { recursive: true })
    if (kind === 'link') await symlink(content.toString('utf8'), place)
    else await writeFile(place, content, { mode: kind === 'executable' ? 0o755 : 0o644 })
  }
}

async function copyPath(from: string, to: string): Promise<void> {
  const found = await lstat(from).catch(() => undefined)
  if (!found) return
  await mkdir(dirname(to), { recursive: true })
  if (found.isSymbolicLink()) await symlink(await readlink(from), to)
  else await copyFile(from, to, constants.COPYFILE_FICLONE)
}

/** Brings one ignored file or folder into a copy: packages as links, caches not at all, the rest as a copy. */
async function bring(cwd: string, folder: string, path: string): Promise<void> {
  const name = path.replace(/\/$/, '')
  const base = name.slice(name.lastIndexOf('/') + 1)
  if (isCache(base) || isSocketLike(base)) return
  if (base === 'node_modules') return linkPackages(join(cwd, name), join(folder, name))
  if (PACKAGES.has(base)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    return symlink(join(cwd, name), join(folder, name))
  }
  if (!path.endsWith('/')) return copyPath(join(cwd, name), join(folder, name))
  for (const entry of await readdir(join(cwd, name), { withFileTypes: true }))
    await bring(cwd, folder, `${name}/${entry.name}${entry.isDirectory() ? '/' : ''}`)
}

/** One link for each package, so that the links of a workspace's own packages lead to the copy. */
async function linkPackages(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true })
  for (const entry of await readdir(from, { withFileTypes: true })) {
    if (isCache(entry.name)) continue
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isSymbolicLink()) await symlink(await readlink(source), target)
    else if (entry.isDirectory() && (entry.name.startsWith('@') || entry.name === '.bin')) await linkPackages(source, target)
    else await symlink(source, target)
  }
}

async function gitFolder(cwd: string): Promise<string> {
  const { stdout } = await run('git', ['rev-parse', '--absolute-git-dir'], { cwd })
  return stdout.trim()
}

/** What tools keep from earlier runs: none of it belongs to a fresh copy. */
const CACHES: ReadonlySet<string> = new Set(
  '__pycache__ .pytest_cache .mypy_cache .ruff_cache .hypothesis .cache .vite .vitest .jest .nyc_output .eslintcache .turbo .parcel-cache .tsbuildinfo .gradle'.split(
    ' ',
  ),
)
const PACKAGES: ReadonlySet<string> = new Set([
  '.venv',
  'venv',
  'env',
  'vendor',
  '.tox',
  '.nox',
  'bower_components',
  'Pods',
  'deps',
])

function isCache(name: string): boolean {
  return CACHES.has(name) || name.endsWith('.tsbuildinfo')
}

function isSocketLike(name: string): boolean {
  return name.endsWith('.sock') || name === '.pawl'
}

/** The caches beside the project's files and in its packages. */
async function cachesIn(workspace: string, { files }: SnapshotFiles): Promise<readonly string[]> {
  const folders = new Set(['', 'node_modules/'])
  for (const path of files.keys()) {
    const slash = path.lastIndexOf('/')
    // Python keeps a cache beside every module; other tools keep theirs where their settings are.
    if (slash >= 0 && LEAVES_CACHES.test(path)) folders.add(path.slice(0, slash + 1))
  }
  const found = await Promise.all(
    [...folders].map(async (folder) => {
      const names = await readdir(join(workspace, folder)).catch(() => [])
      return names.filter((name) => isCache(name) && !files.has(folder + name)).map((name) => folder + name)
    }),
  )
  return found.flat()
}

const LEAVES_CACHES = /\.py$|\/(?:package\.json|tsconfig[^/]*\.json|pyproject\.toml)$/

async function removeRoom(base: string): Promise<void> {
  // The kernel's own folder in it has no permissions at all.
  await chmod(join(base, 'work', 'work'), 0o700).catch(() => undefined)
  await rm(base, { recursive: true, force: true })
}
