import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { PawlError } from '../../../core/pawl-error.ts'
import type { AgentFile, InstallableAgent, Places } from './agent-files.ts'
import { hasOthersServer, hasOwnPart, isBare, withoutOwnPart, withOwnPart } from './own-part.ts'
import { hash } from 'node:crypto'

/** What happens to one file. */
export interface FileChange {
  readonly path: string
  readonly before: string | undefined
  /** `undefined`: the file is taken away. */
  readonly after: string | undefined
  /** Something a person should know about it. */
  readonly note?: string
  /** Our entries that are not in it afterwards, since the user has others in their place. */
  readonly leftOut?: 'server' | 'skill'
  /** What the record says of it afterwards; `undefined`: nothing. */
  readonly record?: InstalledFile
  /** Folders that go with the file when it is taken away, if they are empty then; the innermost first. */
  readonly folders?: readonly string[]
}

/** What installing does to a file. Doing it again changes nothing. */
export function installing(file: AgentFile, record: InstallRecord): FileChange {
  const { path } = file
  const before = contentOf(path)
  const known = record[path]
  const isAsWeLeftIt = known !== undefined && before !== undefined && contentHash(before) === known.after
  if (file.kind === 'text' && before !== undefined && before !== file.text && !isAsWeLeftIt)
    return {
      path,
      before,
      after: before,
      note: 'It was changed by hand, so it stays as it is.',
      leftOut: 'skill',
      ...(known ? { record: known } : {}),
    }
  const base = before === undefined ? undefined : isAsWeLeftIt ? originalOf(file, known, before) : bareOf(file, before)
  const after = withOwnPart(file, base)
  const folders = isAsWeLeftIt ? known.folders : missingFolders(path)
  const written = { ...keptOf(file, base, after), after: contentHash(after), folders }
  return { path, before, after, ...(hasOthersServer(file, base) ? THEIRS : {}), record: written }
}

const THEIRS = {
  leftOut: 'server',
  note: 'It has an MCP server of yours called "pawl", which is left as it is: the agent does not get the tools of Pawl. Rename yours, then install again.',
} as const

/** The file as it would be without us; a text of ours would not be there at all. */
function bareOf(file: AgentFile, text: string): string | undefined {
  return file.kind === 'text' ? undefined : withoutOwnPart(file, text)
}

function keptOf(file: AgentFile, base: string | undefined, after: string): Pick<InstalledFile, 'isNew' | 'before'> {
  if (base === undefined) return { isNew: true }
  return bareOf(file, after) === base ? {} : { before: Buffer.from(base).toString('base64') }
}

/** What uninstalling does to a file: as it was before, or, when somebody changed it since, without our part. */
export function uninstalling(file: AgentFile, record: InstallRecord, root: string): FileChange {
  const { path } = file
  const before = contentOf(path)
  const known = record[path]
  if (before === undefined) return { path, before, after: undefined }
  if (known && contentHash(before) === known.after)
    return { path, before, after: originalOf(file, known, before), folders: known.folders }
  if (file.kind === 'text') {
    if (before === file.text) return { path, before, after: undefined, folders: foldersBelow(root, path) }
    return { path, before, after: before, note: 'It was changed by hand, so it stays as it is.' }
  }
  if (!hasOwnPart(file, before)) return { path, before, after: before }
  const after = withoutOwnPart(file, before)
  if (known) return { path, before, after, note: 'It was changed since: only our part is taken out.' }
  const note = 'What was there before is not on record any more: only our part is taken out.'
  return isBare(file, after)
    ? { path, before, after: undefined, folders: foldersBelow(root, path) }
    : { path, before, after, note }
}

/** The folders on the way to a file, the innermost first. */
function foldersBelow(root: string, path: string): readonly string[] {
  const folder = dirname(path)
  return folder === root || folder === dirname(folder) ? [] : [folder, ...foldersBelow(root, folder)]
}

/** Carries a change out: whole or not at all, through links, with the rights that the file has. */
export function carryOut({ path, before, after, folders = [] }: FileChange): void {
  if (before === after) return
  try {
    if (after === undefined) {
      rmSync(path, { force: true })
      removeFolders(folders)
      return
    }
    mkdirSync(dirname(path), { recursive: true })
    const target = existsSync(path) ? realpathSync(path) : path
    const mode = existsSync(target) ? statSync(target).mode & 0o777 : 0o644
    writeFileSync(`${target}.pawl-new`, after, { mode })
    renameSync(`${target}.pawl-new`, target)
  } catch (cause) {
    throw new PawlError('install.write', `${path} could not be written: ${(cause as Error).message}`, { value: path, cause })
  }
}

function contentOf(path: string): string | undefined {
  if (!existsSync(path)) return undefined
  const bytes = readFileSync(path)
  const text = bytes.toString('utf8')
  if (Buffer.from(text).equals(bytes)) return text
  throw new PawlError('config.encoding', `${path} is not UTF-8: it is left as it is.`, { value: path })
}

function originalOf(file: AgentFile, { isNew, before }: InstalledFile, present: string): string | undefined {
  if (isNew) return undefined
  return before === undefined ? bareOf(file, present) : Buffer.from(before, 'base64').toString('utf8')
}

function missingFolders(path: string): readonly string[] {
  const folders: string[] = []
  for (let folder = dirname(path); !existsSync(folder); folder = dirname(folder)) folders.push(folder)
  return folders
}

/** Only those that are empty again. */
function removeFolders(folders: readonly string[]): void {
  for (const folder of folders) {
    try {
      rmdirSync(folder)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'ENOTEMPTY' || code === 'EEXIST') return
      if (code !== 'ENOENT') throw error
    }
  }
}

/** What installing found and what it left: enough to bring every file back byte for byte. */
export type InstallRecord = Readonly<Record<string, InstalledFile>>

export interface InstalledFile {
  /** Set if there was no file before. */
  readonly isNew?: true
  /**
   * The file as it was, in base64, where taking our part out again would not give the very same bytes. Mostly it would: then nothing of
   * a file that may hold secrets is kept.
   */
  readonly before?: string
  /** The hash of what was written. */
  readonly after: string
  /** Folders that were made for it, the innermost first. */
  readonly folders: readonly string[]
}

/** Reads the record of an agent; empty if nothing is installed or the record is gone. */
export function readRecord(agent: InstallableAgent, places: Places): InstallRecord {
  const path = recordPath(agent, places)
  if (!existsSync(path)) return {}
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as InstallRecord
  } catch {
    // A record that cannot be read is as good as none: then only our own parts are taken out.
    return {}
  }
}

/** Keeps the record, beside the runs and like them out of git; an empty one is taken away. */
export function writeRecord(agent: InstallableAgent, places: Places, record: InstallRecord): void {
  const path = recordPath(agent, places)
  const own = dirname(dirname(path))
  if (Object.keys(record).length === 0) {
    rmSync(path, { force: true })
    removeWhenEmpty(dirname(path), [])
    removeWhenEmpty(own, ['.gitignore'])
    return
  }
  const isNew = !existsSync(own)
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  if (isNew) writeFileSync(join(own, '.gitignore'), '*\n')
  writeFileSync(path, `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600 })
}

function removeWhenEmpty(folder: string, but: readonly string[]): void {
  if (existsSync(folder) && readdirSync(folder).every((name) => but.includes(name))) rmSync(folder, { recursive: true })
}

/** The hash by which a later edit is noticed. */
function contentHash(text: string): string {
  return hash('sha256', text)
}

function recordPath(agent: InstallableAgent, { scope, root, home }: Places): string {
  return join(scope === 'user' ? home : root, '.pawl', 'install', `${agent}${scope === 'local' ? '-local' : ''}.json`)
}

/** What a person has to know or do once it is installed. */
export function afterInstall(agent: InstallableAgent, { pawl, scope, root, isAlways }: Places): readonly string[] {
  const isPath = pawl !== 'pawl'
  const own =
    isPath && scope !== 'user' ? [`\`pawl\` is not on the PATH, so the files name ${pawl}: do not share them before it is.`] : []
  const start = existsSync(join(root, 'pawl.yaml'))
    ? 'To start: ask the agent to start a loop, or bind a run with `pawl bind RUN`.'
    : 'To start: `pawl init` finds your test command and writes pawl.yaml, whose checks every loop runs. Then ask the agent to start a loop.'
  const always = isAlways
    ? [
        'Every session that changes files is held to the checks of pawl.yaml when it ends its turn. Write `pawl off` in a session to switch that off for it.',
        ...(scope === 'user' ? ['It works in folders that you trust: run `pawl trust --folder` there once.'] : []),
      ]
    : []
  const local = scope === 'local' ? ["If git doesn't ignore it yet: echo .claude/settings.local.json >> .git/info/exclude"] : []
  return [...own, ...always, ...local, ...NOTES[agent], start]
}

const NOTES: Readonly<Record<InstallableAgent, readonly string[]>> = {
  claude: [
    'Restart Claude Code; it asks once whether the MCP server of a project may be used.',
    'Claude Code itself ends a turn after 8 blocks in a row, unless CLAUDE_CODE_STOP_HOOK_BLOCK_CAP is raised. The run stays open then: tell the agent to continue.',
  ],
  codex: [
    "Codex doesn't run a hook before you trust it: start Codex and confirm under /hooks.",
    'A project has to be trusted for its .codex folder to be read.',
  ],
  gemini: ['Restart Gemini CLI; a project has to be a trusted folder for its hooks to run.'],
  qwen: [
    'Restart Qwen Code; a project has to be a trusted folder for its hooks to run.',
    'Qwen Code itself ends a turn after 8 blocks in a row. The run stays open then: tell the agent to continue.',
  ],
}
