import { homedir } from 'node:os'
import { join, relative } from 'node:path'
import { PawlError } from '../../../core/pawl-error.ts'
import { resolveProgram } from '../../../process/find-program.ts'
import { isInRepository } from '../../../settings/find-project.ts'
import { agentSign, trustFolder } from '../../../settings/user-files.ts'
import type { CliContext } from '../cli-context.ts'
import { EXIT } from '../exit-codes.ts'
import { agentFiles, INSTALLABLE, type InstallableAgent, type InstallScope, type Places } from '../install/agent-files.ts'
import {
  afterInstall,
  carryOut,
  type FileChange,
  type InstalledFile,
  installing,
  readRecord,
  uninstalling,
  writeRecord,
} from '../install/file-change.ts'

export interface InstallFlags {
  readonly project?: boolean
  readonly local?: boolean
  readonly user?: boolean
  readonly dryRun?: boolean
  /** Hold every session to the checks of pawl.yaml. */
  readonly always?: boolean
}

/** Puts hook, MCP server and skill into an agent's own files, and shows every change. */
export async function install(context: CliContext, flags: InstallFlags, name: string): Promise<number> {
  const { agent, places } = await target(context, flags, name)
  const record = readRecord(agent, places)
  const changes = agentFiles(agent, places).map((file) => installing(file, record))
  await show(context, changes, baseOf(places))
  const committed = await committedFiles(places, changes)
  const isAsked = flags.project === true || flags.dryRun === true
  if (committed.length > 0 && !isAsked) throw committedError(agent, flags.always === true, committed)
  if (!flags.dryRun) {
    for (const change of changes) carryOut(change)
    writeRecord(agent, places, Object.fromEntries(changes.flatMap(recordOf)))
    // Whoever has the checks run always, lets them run.
    if (flags.always && places.scope !== 'user' && agentSign(process.env) === undefined) trustFolder(places.root)
  }
  const shared = committed.map((file) => `${file} is committed to git: your team gets this change too.`)
  return report(context, {
    agent,
    places,
    flags,
    changes,
    done: 'installed',
    notes: [...shared, ...afterInstall(agent, places)],
  })
}

/** Takes it out again: byte for byte what was there, unless somebody changed the files since. */
export async function uninstall(context: CliContext, flags: InstallFlags, name: string): Promise<number> {
  const { agent, places } = await target(context, flags, name)
  const record = readRecord(agent, places)
  const changes = agentFiles(agent, places).map((file) => uninstalling(file, record, baseOf(places)))
  await show(context, changes, baseOf(places))
  if (!flags.dryRun) {
    for (const change of changes) carryOut(change)
    writeRecord(agent, places, {})
  }
  const code = report(context, { agent, places, flags, changes, done: 'uninstalled', notes: [] })
  if (changes.every(({ before, after }) => before === after) && !context.isJson)
    for (const scope of otherScopes(agent, places))
      context.terminal.say(`It is installed ${WHERE[scope](places.root)}. Remove it: pawl uninstall ${agent} --${scope}`)
  return code
}

/** Where else it is installed. */
function otherScopes(agent: InstallableAgent, places: Places): readonly InstallScope[] {
  return (['project', 'local', 'user'] as const).filter(
    (scope) =>
      scope !== places.scope &&
      (scope !== 'local' || agent === 'claude') &&
      Object.keys(readRecord(agent, { ...places, scope })).length > 0,
  )
}

/** Those of the files to be changed that git has: everybody who works on the project gets them. */
async function committedFiles({ scope, root }: Places, changes: readonly FileChange[]): Promise<readonly string[]> {
  const changed = changes.filter(({ before, after }) => before !== after).map(({ path }) => path)
  if (scope === 'user' || changed.length === 0 || !isInRepository(root)) return []
  const { trackedFiles } = await import('../../../registry/workspace-tools.ts')
  return await trackedFiles(
    root,
    changed.filter((path) => !relative(root, path).startsWith('..')),
  )
}

function committedError(agent: InstallableAgent, isAlways: boolean, files: readonly string[]): PawlError {
  const own = agent === 'claude' ? '--local' : '--user'
  const command = `pawl install ${agent}${isAlways ? ' --always' : ''}`
  const lines = [
    `${files.join(', ')} ${files.length === 1 ? 'is' : 'are'} committed to git, so your team would get this change too. Nothing was written.`,
    `Only for you: ${command} ${own}`,
    `For everybody: ${command} --project`,
  ]
  return new PawlError('usage.committed', lines.join('\n'), { value: files })
}

async function target(
  { project }: CliContext,
  { project: isProject, local: isLocal, user: isUser, always: isAlways = false }: InstallFlags,
  name: string,
): Promise<{ readonly agent: InstallableAgent; readonly places: Places }> {
  const agent = INSTALLABLE.find((each) => each === name)
  if (!agent) throw new PawlError('usage.agent', `"${name}" isn't one of ${INSTALLABLE.join(', ')}.`, { value: name })
  if ([isProject, isLocal, isUser].filter(Boolean).length > 1)
    throw new PawlError('usage.scope', 'Give only one of --project, --local and --user.')
  if (isLocal && agent !== 'claude')
    throw new PawlError('usage.scope', `${agent} has no settings that are yours alone in a project: use --user.`)
  const scope = isUser ? 'user' : isLocal ? 'local' : 'project'
  return { agent, places: { scope, root: project.root, home: homedir(), pawl: await ownName(project.root), isAlways } }
}

/** By its name where the PATH leads to one, so that the files also work for others; else by the place of this one. */
async function ownName(cwd: string): Promise<string> {
  const { status } = await resolveProgram('pawl', cwd, process.env['PATH'])
  return status === 'found' ? 'pawl' : OWN_PROGRAM
}

/** From `dist/` as from the source, the same program. */
const OWN_PROGRAM = join(
  import.meta.dirname,
  ...(import.meta.dirname.endsWith('dist') ? ['..'] : ['..', '..', '..', '..']),
  'bin',
  'pawl',
)

function baseOf({ scope, root, home }: Places): string {
  return scope === 'user' ? home : root
}

async function show({ terminal, isJson }: CliContext, changes: readonly FileChange[], base: string): Promise<void> {
  if (isJson) return
  const { fileDiff } = await import('../../../registry/workspace-tools.ts')
  for (const { path, before, after, note, leftOut } of changes) {
    // The end lists what was left out, so that nobody overlooks it.
    if (note !== undefined && leftOut === undefined) terminal.say(`${path}: ${note}`)
    if (before === after) continue
    for (const line of fileDiff(relative(base, path), before, after)) {
      const colour = line.startsWith('+') ? 'green' : line.startsWith('-') ? 'red' : 'dim'
      terminal.say(terminal.paint(colour, line))
    }
  }
}

function recordOf({ path, record }: FileChange): readonly (readonly [string, InstalledFile])[] {
  return record ? [[path, record]] : []
}

interface InstallResult {
  readonly agent: InstallableAgent
  readonly places: Places
  readonly flags: InstallFlags
  readonly changes: readonly FileChange[]
  readonly done: 'installed' | 'uninstalled'
  readonly notes: readonly string[]
}

function report(
  { terminal, isJson }: CliContext,
  { agent, places, flags, changes, done, notes: general }: InstallResult,
): number {
  const { scope } = places
  const isDryRun = flags.dryRun === true
  const notes = [...changes.flatMap(({ path, note, leftOut }) => (leftOut ? [`${path}: ${note}`] : [])), ...general]
  const files = changes.map(({ path, before, after, note }) => ({
    path,
    change: kindOf(before, after),
    ...(note ? { note } : {}),
  }))
  const leftOut = changes.flatMap((change) => change.leftOut ?? [])
  const but = leftOut.length === 0 ? '' : `, but for ${leftOut.map((part) => LEFT_OUT[part]).join(' and ')}`
  const isChanged = files.some(({ change }) => change !== 'unchanged')
  if (isJson) {
    terminal.json({ agent, scope, done: isDryRun ? 'nothing' : done, isDryRun, leftOut, files, notes })
    return EXIT.done
  }
  const where = WHERE[scope](places.root)
  if (!isChanged)
    terminal.say(`Nothing to do: Pawl is ${done === 'installed' ? 'installed' : 'not installed'} in ${agent} ${where}${but}.`)
  else if (isDryRun) terminal.say('Nothing was written (--dry-run).')
  else terminal.say(`Pawl is ${done} in ${agent} ${where}${but}.`)
  if (done === 'installed') for (const note of notes) terminal.say(`- ${note}`)
  return EXIT.done
}

const WHERE: Readonly<Record<InstallScope, (root: string) => string>> = {
  project: (root) => `for this project (${root})`,
  local: (root) => `for you in this project (${root})`,
  user: () => 'for you, in every project',
}

const LEFT_OUT = { server: 'its MCP server', skill: 'its skill' } as const

function kindOf(before: string | undefined, after: string | undefined): 'unchanged' | 'created' | 'changed' | 'removed' {
  if (before === after) return 'unchanged'
  if (before === undefined) return 'created'
  return after === undefined ? 'removed' : 'changed'
}
