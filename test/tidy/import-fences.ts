import type { Import, Source } from './source.ts'

/** Rooms whose files are drivers: a driver never imports a sibling. */
const DRIVERS = ['agents', 'checks', 'stores', 'workspaces', 'codebase']

/** All rooms that the surfaces use. */
const BELOW_SURFACES = [
  'core',
  'schema',
  'guards',
  'loops',
  'similarity',
  'journal',
  'secrets',
  'process',
  'engine',
  'registry',
  'settings',
  'present',
  'evidence',
  'proof',
  'sandbox',
  ...DRIVERS,
]

/** Which rooms a room of `src` may import besides itself (docs/ARCHITECTURE.md, "The rooms"). A test may import anything. */
const FENCES: Readonly<Record<string, readonly string[]>> = {
  core: [],
  schema: ['core'],
  similarity: ['core', 'schema'],
  journal: ['core', 'secrets'],
  secrets: ['core'],
  process: ['core', 'schema'],
  guards: ['core', 'schema'],
  loops: ['core', 'schema', 'guards', 'similarity'],
  stores: ['core', 'schema', 'journal', 'process', 'secrets'],
  agents: ['core', 'schema', 'process', 'secrets', 'journal', 'guards'],
  checks: ['core', 'schema', 'process', 'secrets', 'journal', 'agents'],
  workspaces: ['core', 'schema', 'process'],
  codebase: ['core', 'schema', 'process'],
  // It answers in the form that research asks for.
  explorer: ['core', 'schema', 'process', 'agents', 'codebase', 'loops'],
  tinker: ['core', 'process', 'checks', 'agents'],
  proof: ['core', 'schema', 'process', 'workspaces'],
  sandbox: ['core', 'schema', 'process', 'agents', 'checks'],
  engine: ['core', 'journal', 'secrets', 'similarity', 'process', 'proof', ...DRIVERS],
  evidence: ['core', 'schema', 'guards', 'loops', 'similarity', 'journal', 'secrets', 'process', 'stores', 'engine'],
  present: ['core', 'guards', 'loops', 'evidence', 'settings'],
  settings: ['core', 'schema', 'guards', 'loops', 'process', 'journal', 'secrets', 'registry', 'proof', 'sandbox'],
  registry: ['core', 'schema', 'proof', 'sandbox', 'guards', 'loops', 'secrets', 'process', 'engine', ...DRIVERS, 'explorer'],
  surfaces: BELOW_SURFACES,
  testing: ['core', 'schema', 'guards', 'loops', 'journal', 'secrets', 'process', 'engine', 'registry', 'settings', ...DRIVERS],
  'index.ts': ['core', 'guards', 'loops', 'journal', 'secrets', 'process', 'engine', 'surfaces', ...DRIVERS],
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
  if (!allowed)
    return `is in the room "${room}", which test/tidy/import-fences.ts doesn't know: add it there and to ARCHITECTURE.`
  // What performs a loop's own effects belongs to the loop, and is loaded by the engine only.
  if (isPerformer(path) && PERFORMER_ROOMS.has(targetRoom)) return undefined
  if (targetRoom !== room && !allowed.includes(targetRoom)) {
    const rooms = allowed.length > 0 ? allowed.join(', ') : 'nothing else'
    return `imports ${target}, but ${room} may import only ${rooms}: move the code, or pass the part in from the registry.`
  }
  if (room === 'surfaces' && targetRoom === 'surfaces' && folder !== targetFolder) {
    return `imports the sibling surface ${targetFolder}: move what both need out of surfaces.`
  }
  if (room === 'surfaces' && DRIVERS.includes(targetRoom) && !isTypeOnly && !isPort(target)) {
    return `picks the driver ${target}: only the registry does that, take the part from there.`
  }
  if (room === targetRoom && DRIVERS.includes(room)) return siblingProblem(path, target, families)
  return undefined
}

/** `loops/research/perform.ts`, or `loops/shared/perform-commit.ts`. */
export function isPerformer(path: string): boolean {
  return /^src\/loops\/[^/]+\/perform(?:-[\w-]+)?\.ts$/.test(path)
}

const PERFORMER_ROOMS: ReadonlySet<string> = new Set(['engine', 'codebase', 'secrets', 'agents'])

/** `agents/agent.ts` is the port of the agents. */
function isPort(target: string): boolean {
  return /^src\/(?:agents\/agent|checks\/check|stores\/store|workspaces\/workspace|codebase\/codebase)\.ts$/.test(target)
}

function siblingProblem(path: string, target: string, families: ReadonlySet<string>): string | undefined {
  const driver = driverOf(path, families)
  const targetDriver = driverOf(target, families)
  if (driver === targetDriver) return undefined
  const isSharedOfTheKind = targetDriver === path.split('/').slice(0, 2).join('/')
  if (isSharedOfTheKind) return undefined
  return `imports ${target}, which belongs to another driver (${targetDriver}): move what both need out of it.`
}

/**
 * The driver a file belongs to: its own folder (`agents/acp`), its family of names (`stores/sqlite-*` if there is a
 * `sqlite-store.ts`), or the room itself for what its drivers share.
 */
function driverOf(path: string, families: ReadonlySet<string>): string {
  const parts = path.split('/')
  const room = parts.slice(0, 2).join('/')
  if (SHARED_FOLDERS.has(parts.slice(0, 3).join('/'))) return room
  if (parts.length > 3) return parts.slice(0, 3).join('/')
  const name = (parts[2] ?? '').replace(/\.ts$/, '')
  const words = name.split('-')
  const family = words.map((_, index) => `${room}/${words.slice(0, index + 1).join('-')}`).findLast((each) => families.has(each))
  return family ?? room
}

/** Folders of what the drivers of one room share. */
const SHARED_FOLDERS: ReadonlySet<string> = new Set(['src/agents/streams', 'src/checks/reports'])

/** `stores/sqlite-store.ts` founds the family `stores/sqlite`. */
function familiesOf(sources: readonly Source[]): ReadonlySet<string> {
  return new Set(
    sources.flatMap(({ path }) => {
      const [, folder, room = '', name] = /^(src\/([^/]+))\/([^/]+)\.ts$/.exec(path) ?? []
      const suffix = `-${room.replace(/s$/, '')}`
      return DRIVERS.includes(room) && name?.endsWith(suffix) ? [`${folder}/${name.slice(0, -suffix.length)}`] : []
    }),
  )
}

/** What a hook after a tool call must not load, since the agent waits for it: the rooms, libraries and modules that only the end of a turn needs. */
const NOT_IN_A_TOOL_ROUND =
  /^(?:valibot|node:fs\/promises|node:child_process|src\/(?:guards|schema|present|evidence|similarity|proof)\/.*)$/

/** Imports by which a hook after a tool call would load more than it needs. */
export function toolRoundImports(sources: readonly Source[]): string[] {
  const byPath = new Map(sources.map((source) => [source.path, source]))
  const problems: string[] = []
  const seen = new Set<string>()
  const walk = (path: string): void => {
    const source = byPath.get(path)
    if (!source || seen.has(path)) return
    seen.add(path)
    const lines = source.text.split('\n')
    for (const { line, specifier, target = specifier, isTypeOnly } of source.imports) {
      if (isTypeOnly || lines[line - 1]?.includes('import(')) continue
      if (NOT_IN_A_TOOL_ROUND.test(target))
        problems.push(
          `${path}:${line}: imports ${target}, so every hook after a tool call loads it: import it when it is needed.`,
        )
      else walk(target)
    }
  }
  for (const path of ['src/surfaces/hooks/run-hook.ts', 'src/surfaces/hooks/bound-hook.ts']) walk(path)
  return problems
}
