import type { Import, Source } from './source.ts'

/** Which rooms a room of `src` may import besides itself (DESIGN, section 3). A test may import anything. */
const FENCES: Readonly<Record<string, readonly string[]>> = {
  core: [],
  ports: ['core'],
  loops: ['core'],
  journal: ['core'],
  secrets: ['core'],
  process: ['core', 'ports'],
  runner: ['core', 'ports', 'journal', 'secrets'],
  drivers: ['core', 'ports', 'journal', 'secrets', 'process'],
  surfaces: ['core', 'ports', 'loops', 'journal', 'secrets', 'process', 'runner', 'drivers'],
  testing: ['core', 'ports', 'loops', 'journal', 'secrets', 'process', 'runner', 'drivers', 'surfaces'],
  'index.ts': ['core', 'ports', 'loops', 'journal', 'secrets', 'process', 'runner', 'drivers', 'surfaces'],
}

/** Imports that go against the one way they may go. */
export function importFences(sources: readonly Source[]): string[] {
  const families = familiesOf(sources)
  return sources
    .filter((source) => source.path.startsWith('src/') && !source.isTest)
    .flatMap((source) =>
      source.imports.flatMap((each) => {
        const problem = problemWith(source.path, each, families)
        return problem === undefined ? [] : [`${source.path}:${each.line}: ${problem}`]
      }),
    )
}

function problemWith(path: string, { target, isTypeOnly }: Import, families: ReadonlySet<string>): string | undefined {
  if (target === undefined) return undefined
  if (!target.startsWith('src/')) {
    return target === 'package.json' ? undefined : `imports ${target}, which is outside src: move what is shared into src.`
  }
  const [, room = '', folder] = path.split('/')
  const [, targetRoom = '', targetFolder] = target.split('/')
  const allowed = FENCES[room]
  if (!allowed) return `is in the room "${room}", which test/tidy/import-fences.ts does not know: add it there and to DESIGN.`
  if (targetRoom !== room && !allowed.includes(targetRoom)) {
    const rooms = allowed.length > 0 ? allowed.join(', ') : 'nothing else'
    return `imports ${target}, but ${room} may import only ${rooms}: move the code or hand the part in from compose.`
  }
  if (room === 'surfaces' && targetRoom === 'surfaces' && folder !== targetFolder) {
    return `imports the sibling surface ${targetFolder}: move what both need out of surfaces.`
  }
  if (room === 'surfaces' && targetRoom === 'drivers' && !isCompose(path) && !isTypeOnly) {
    return `picks the driver ${target}: only surfaces/*/compose.ts does that, take the part from there.`
  }
  if (room === 'drivers' && targetRoom === 'drivers' && !isCompose(path)) return siblingProblem(path, target, families)
  return undefined
}

/** Places that put the parts together. */
function isCompose(path: string): boolean {
  return /^src\/surfaces\/[^/]+\/compose\.ts$/.test(path) || path === 'src/drivers/agents/tinker/main.ts'
}

function siblingProblem(path: string, target: string, families: ReadonlySet<string>): string | undefined {
  const driver = driverOf(path, families)
  const targetDriver = driverOf(target, families)
  if (driver === targetDriver) return undefined
  const isSharedOfTheKind = targetDriver === path.split('/').slice(0, 3).join('/')
  if (isSharedOfTheKind) return undefined
  return `imports ${target}, which belongs to another driver (${targetDriver}): move what both need out of it.`
}

/**
 * The driver a file belongs to: its own folder (`drivers/agents/tinker`), its family of names (`drivers/stores/sqlite-*` where
 * there is a `sqlite-store.ts`), or the kind itself for what the drivers of one kind share.
 */
function driverOf(path: string, families: ReadonlySet<string>): string {
  const parts = path.split('/')
  const kind = parts.slice(0, 3).join('/')
  if (SHARED_FOLDERS.has(parts.slice(0, 4).join('/'))) return kind
  if (parts.length > 4) return parts.slice(0, 4).join('/')
  const name = (parts[3] ?? '').replace(/\.ts$/, '')
  const words = name.split('-')
  const family = words.map((_, index) => `${kind}/${words.slice(0, index + 1).join('-')}`).findLast((each) => families.has(each))
  return family ?? kind
}

/** Folders of what the drivers of one kind share. */
const SHARED_FOLDERS: ReadonlySet<string> = new Set(['src/drivers/agents/streams'])

/** `drivers/stores/sqlite-store.ts` founds the family `drivers/stores/sqlite`. */
function familiesOf(sources: readonly Source[]): ReadonlySet<string> {
  return new Set(
    sources.flatMap(({ path }) => {
      const [, folder, kind, name] = /^(src\/drivers\/([^/]+))\/([^/]+)\.ts$/.exec(path) ?? []
      const suffix = kind === 'people' ? '-person' : `-${kind?.replace(/s$/, '')}`
      return name?.endsWith(suffix) ? [`${folder}/${name.slice(0, -suffix.length)}`] : []
    }),
  )
}
