import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileContent, requireInnerPath, rawName, readableName } from './files-on-disk.ts'
import { git } from './git-program.ts'
import { configFile, type Repository } from './git-repository.ts'
import type { BlamedFile, BlamedLine, BlameRequest } from './workspace.ts'

/**
 * Git's own blame over the snapshots as one history: a chain of commits in a temporary git dir that borrows the repository's objects, so
 * that nothing is written to the repository. Edited, moved and renamed lines are attributed as git does. A file that returned to an
 * earlier content continues from there.
 */
export async function blameInGit(repository: Repository, request: BlameRequest): Promise<BlamedFile | undefined> {
  const path = rawName(requireInnerPath(request.path))
  const full = `${repository.prefix}${path}`
  const kept = await keptVersions(repository, full, request.snapshots)
  const missing = request.snapshots.filter((_, index) => kept[index] === undefined)
  const present = request.isPresent ? await fileContent(repository.folder, request.path) : undefined
  const hasFile = request.isPresent ? present !== undefined : kept.at(-1)?.blob !== undefined
  if (!hasFile) return undefined
  const { places, ...chain } = chainOf(kept)
  const again = present && places.get(blobName(present, repository))
  const commits = again === undefined ? chain : { ...chain, head: again }
  const scratch = await mkdtemp(join(tmpdir(), 'pawl-blame-'))
  try {
    await prepare(scratch, repository)
    const marks = await importChain(scratch, repository, commits, full, again === undefined ? present : undefined)
    return { lines: await blamed(scratch, repository, full, marks), missing }
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

interface Kept {
  readonly tree: string
  readonly blob?: string
}

/** The tree and the file of every snapshot, in one call. */
async function keptVersions(
  { top }: Repository,
  path: string,
  snapshots: readonly string[],
): Promise<readonly (Kept | undefined)[]> {
  const input = snapshots.map((snapshot) => `${snapshot}^{tree}\n${snapshot}:${path}\n`).join('')
  const { stdout } = await git(['cat-file', '--batch-check=%(objectname) %(objecttype)'], { cwd: top, input })
  const answers = stdout.toString('latin1').split('\n')
  return snapshots.map((_, index) => {
    const tree = objectIn(answers[2 * index], 'tree')
    const blob = objectIn(answers[2 * index + 1], 'blob')
    return tree === undefined ? undefined : { tree, ...(blob === undefined ? {} : { blob }) }
  })
}

function objectIn(answer: string | undefined, wanted: 'tree' | 'blob'): string | undefined {
  const [, name, type] = /^([0-9a-f]{40,64}) (\w+)$/.exec(answer ?? '') ?? []
  return type === wanted ? name : undefined
}

interface ChainCommit {
  readonly tree: string
  /** Place of its parent in the chain. */
  readonly parent?: number
  /** Index of its snapshot. */
  readonly index: number
}

interface Chain {
  readonly commits: readonly ChainCommit[]
  /** Place of the last one. */
  readonly head?: number
}

/** A commit for every snapshot that changed the file; without the file, one for every tree, since it may be moved here later. */
function chainOf(kept: readonly (Kept | undefined)[]): Chain & { readonly places: ReadonlyMap<string, number> } {
  const commits: ChainCommit[] = []
  const places = new Map<string, number>()
  let head: number | undefined
  for (const [index, version] of kept.entries()) {
    if (!version) continue
    const { tree, blob = `none in ${tree}` } = version
    const known = places.get(blob)
    if (known === undefined) {
      commits.push({ tree, index, ...(head === undefined ? {} : { parent: head }) })
      places.set(blob, commits.length - 1)
    }
    head = known ?? commits.length - 1
  }
  return { commits, places, ...(head === undefined ? {} : { head }) }
}

/** Git's name for this content. */
function blobName(content: Buffer, { objectFormat }: Repository): string {
  return createHash(objectFormat).update(`blob ${content.length}\0`).update(content).digest('hex')
}

/** By hand and not by `git init`, which applies the user's templates. */
async function prepare(scratch: string, repository: Repository): Promise<void> {
  await mkdir(join(scratch, 'objects', 'info'), { recursive: true })
  await mkdir(join(scratch, 'refs'))
  await writeFile(join(scratch, 'objects', 'info', 'alternates'), `${join(repository.commonDir, 'objects')}\n`)
  await writeFile(join(scratch, 'HEAD'), `ref: ${BRANCH}\n`)
  await writeFile(join(scratch, 'config'), configFile(repository, true))
}

const BRANCH = 'refs/heads/blame'

/** Creates the commits in one process and returns the snapshot of each; the present file comes last. */
async function importChain(
  scratch: string,
  { top }: Repository,
  { commits, head }: Chain,
  path: string,
  present: Buffer | undefined,
): Promise<ReadonlyMap<string, number | undefined>> {
  const marks = join(scratch, 'marks')
  const entries = commits.map(({ tree, parent }, place) => commitText(place + 1, parent, `M 040000 ${tree} \n`))
  const now = present === undefined ? [] : [commitText(commits.length + 1, head, inlineFile(path, present))]
  // The branch must point to the end of the chain, which isn't always the commit that was created last.
  const end = present === undefined && head !== undefined ? [`reset ${BRANCH}\nfrom :${head + 1}\n\n`] : []
  await call(scratch, top, ['-c', 'core.fsync=none', 'fast-import', '--quiet', '--force', `--export-marks=${marks}`], {
    input: [...entries, ...now, ...end].join(''),
  })
  const lines = (await readFile(marks, 'latin1')).split('\n').slice(0, -1)
  return new Map(
    lines.map((line) => {
      const [mark = '', commit = ''] = line.slice(1).split(' ')
      return [commit, commits[Number(mark) - 1]?.index]
    }),
  )
}

function commitText(mark: number, parent: number | undefined, change: string): string {
  const from = parent === undefined ? '' : `from :${parent + 1}\n`
  // A different time for each, so that no two commits are the same.
  return `commit ${BRANCH}\nmark :${mark}\ncommitter Pawl <pawl@localhost> ${mark} +0000\ndata 0\n${from}${change}\n`
}

function inlineFile(path: string, content: Buffer): string {
  const quoted = `"${path.replaceAll(/["\\]/g, String.raw`\$&`)}"`
  return `M 100644 inline ${quoted}\ndata ${content.length}\n${content.toString('latin1')}\n`
}

/** Overrides the user's settings that would change git's answer. */
const SETTINGS = ['blame.ignoreRevsFile=', 'diff.algorithm=default'].flatMap((setting) => ['-c', setting])

async function blamed(
  scratch: string,
  { top, prefix }: Repository,
  path: string,
  marks: ReadonlyMap<string, number | undefined>,
): Promise<readonly BlamedLine[]> {
  const args = [...SETTINGS, 'blame', '--line-porcelain', '-M', BRANCH, '--', readableName(path)]
  const { stdout } = await call(scratch, top, args)
  const lines: BlamedLine[] = []
  let commit = ''
  let name = path
  for (const row of stdout.toString('latin1').split('\n')) {
    if (row.startsWith('\t')) {
      const index = marks.get(commit)
      const text = readableName(row.slice(1))
      lines.push({
        text,
        ...(index === undefined ? {} : { index }),
        ...(name === path ? {} : { path: readableName(withoutPrefix(name, prefix)) }),
      })
    } else if (/^[0-9a-f]{40,64} \d/.test(row)) [commit = ''] = row.split(' ')
    else if (row.startsWith('filename ')) name = unquoted(row.slice('filename '.length))
  }
  return lines
}

/** Git quotes names that contain a quote, a backslash or a control character. */
function unquoted(name: string): string {
  if (!name.startsWith('"')) return name
  return name.slice(1, -1).replaceAll(/\\([0-7]{3}|.)/g, (_, code: string) => {
    if (code.length === 3) return String.fromCodePoint(Number.parseInt(code, 8))
    return ESCAPES[code] ?? code
  })
}

const ESCAPES: Readonly<Record<string, string>> = { a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' }

/** Names are relative to the folder, as everywhere in a workspace. */
function withoutPrefix(name: string, prefix: string): string {
  return name.startsWith(prefix) ? name.slice(prefix.length) : name
}

function call(scratch: string, top: string, args: readonly string[], more: { readonly input?: string } = {}) {
  return git(args, { cwd: top, env: { GIT_DIR: scratch }, ...more })
}
