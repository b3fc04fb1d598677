import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { listFiles } from '../../src/codebase/list-files.ts'
import { PawlError } from '../../src/core/pawl-error.ts'
import { copiedRoom } from '../../src/proof/room.ts'
import { dropLabels, removeWorktree, workingDiff, worktreeLosses } from '../../src/registry/workspace-tools.ts'
import { folderWorkspace } from '../../src/workspaces/folder-workspace.ts'
import { gitWorkspace } from '../../src/workspaces/git-workspace.ts'
import type { Workspace } from '../../src/workspaces/workspace.ts'
import { gitTestEnvironment } from '../support/temporary-repository.ts'

beforeAll(() => {
  process.env['GIT_CONFIG_GLOBAL'] = '/dev/null'
  process.env['GIT_CONFIG_NOSYSTEM'] = '1'
})

/** What the agent finds, and where it must not leave anything. */
interface Scene {
  /** The folder that the agent works in. */
  readonly top: string
  /** The repository's own folder. */
  readonly gitDir: string
  readonly outside: string
  /** A program that leaves a mark outside. */
  readonly program: string
}

type Plant = (scene: Scene) => void

function config(...lines: readonly string[]): Plant {
  return ({ gitDir, program, outside }) => {
    const text = lines.map((line) => line.replaceAll('PROGRAM', program).replaceAll('OUTSIDE', outside)).join('\n')
    appendFileSync(join(gitDir, 'config'), `${text}\n`)
  }
}

function attributes(text: string): Plant {
  return ({ top }) => writeFileSync(join(top, '.gitattributes'), text)
}

function all(...plants: readonly Plant[]): Plant {
  return (scene) => plants.forEach((plant) => plant(scene))
}

const HOOKS =
  'pre-commit post-commit post-checkout post-index-change reference-transaction post-rewrite pre-auto-gc fsmonitor-watchman'.split(
    ' ',
  )

function hooksIn(folder: string, program: string): void {
  mkdirSync(folder, { recursive: true })
  for (const name of HOOKS) writeFileSync(join(folder, name), `#!/bin/sh\n${program} ${name}\n`, { mode: 0o755 })
}

/** A repository of the agent's own making, with everything that could start a program. */
function hostileRepository({ top, program }: Scene, name: string): string {
  const folder = join(top, name)
  mkdirSync(folder, { recursive: true })
  git(folder, 'init', '--quiet')
  writeFileSync(join(folder, 'f.txt'), 'f\n')
  writeFileSync(join(folder, '.gitattributes'), '* filter=evil diff=evil\n')
  git(folder, 'add', '--all')
  git(folder, 'commit', '--quiet', '-m', 'x')
  appendFileSync(
    join(folder, '.git/config'),
    `[core]\n fsmonitor = ${program}\n hooksPath = hooks\n[filter "evil"]\n clean = ${program}\n smudge = ${program}\n process = ${program}\n[diff "evil"]\n textconv = ${program}\n command = ${program}\n[diff]\n external = ${program}\n`,
  )
  hooksIn(join(folder, '.git/hooks'), program)
  hooksIn(join(folder, 'hooks'), program)
  writeFileSync(join(folder, 'f.txt'), 'changed\n')
  return folder
}

const EVIL_FILTER = config('[filter "evil"]', 'clean = PROGRAM', 'smudge = PROGRAM', 'process = PROGRAM', 'required = true')

/** What an agent can leave in its workspace for a git outside of its box. */
const PLANTS: Readonly<Record<string, Plant>> = {
  'core.fsmonitor': config('[core]', 'fsmonitor = PROGRAM'),
  'core.hooksPath': all(config('[core]', 'hooksPath = OUTSIDE-hooks'), ({ outside, program }) =>
    hooksIn(`${outside}-hooks`, program),
  ),
  hooks: ({ gitDir, program }) => hooksIn(join(gitDir, 'hooks'), program),
  'diff.external': config('[diff]', 'external = PROGRAM'),
  textconv: all(config('[diff "evil"]', 'textconv = PROGRAM', 'command = PROGRAM'), attributes('* diff=evil\n')),
  'a clean and smudge filter': all(EVIL_FILTER, attributes('* filter=evil\n')),
  'a filter by info/attributes': all(EVIL_FILTER, ({ gitDir }) => {
    mkdirSync(join(gitDir, 'info'), { recursive: true })
    writeFileSync(join(gitDir, 'info/attributes'), '* filter=evil\n')
  }),
  'a filter by core.attributesFile': all(EVIL_FILTER, config('[core]', 'attributesFile = OUTSIDE-attributes'), ({ outside }) =>
    writeFileSync(`${outside}-attributes`, '* filter=evil\n'),
  ),
  'a filter by include.path': all(
    config('[include]', 'path = OUTSIDE-include'),
    attributes('* filter=evil\n'),
    ({ outside, program }) =>
      writeFileSync(
        `${outside}-include`,
        `[core]\n fsmonitor = ${program}\n[filter "evil"]\n clean = ${program}\n smudge = ${program}\n`,
      ),
  ),
  'a filter by config.worktree': all(
    config('[extensions]', 'worktreeConfig = true'),
    attributes('* filter=evil\n'),
    ({ gitDir, program }) =>
      writeFileSync(
        join(gitDir, 'config.worktree'),
        `[core]\n fsmonitor = ${program}\n[filter "evil"]\n clean = ${program}\n smudge = ${program}\n`,
      ),
  ),
  'a signing program': config(
    '[commit]',
    'gpgSign = true',
    '[log]',
    'showSignature = true',
    '[gpg]',
    'program = PROGRAM',
    '[user]',
    'signingKey = x',
  ),
  'a signed commit': all(config('[log]', 'showSignature = true', '[gpg]', 'program = PROGRAM'), ({ top }) => {
    const body = git(top, 'cat-file', 'commit', 'HEAD').replace(
      '\n\n',
      '\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\n',
    )
    const made = execFileSync('git', ['hash-object', '-t', 'commit', '-w', '--stdin'], {
      cwd: top,
      input: body,
      env: gitTestEnvironment,
      encoding: 'utf8',
    })
    git(top, 'update-ref', 'HEAD', made.trim())
  }),
  'an alias': config(
    '[alias]',
    ...'rev-parse ls-files update-ref commit-tree read-tree diff-files log'.split(' ').map((name) => `${name} = !PROGRAM`),
  ),
  'core.sshCommand, askPass, editor and pager': config(
    '[core]',
    'sshCommand = PROGRAM',
    'askPass = PROGRAM',
    'editor = PROGRAM',
    'pager = PROGRAM',
    '[credential]',
    'helper = !PROGRAM',
  ),
  'a remote that is asked for missing objects': all(
    config(
      '[extensions]',
      'partialClone = evil',
      '[remote "evil"]',
      'url = ext::PROGRAM',
      'promisor = true',
      'partialclonefilter = blob:none',
      '[protocol "ext"]',
      'allow = always',
      '[protocol]',
      'allow = always',
    ),
    loseObjects,
  ),
  'a remote program for missing objects': all(
    config(
      '[extensions]',
      'partialClone = evil',
      '[remote "evil"]',
      'url = .',
      'uploadpack = PROGRAM',
      'promisor = true',
      'partialclonefilter = blob:none',
    ),
    loseObjects,
  ),
  'trace2 settings': config('[trace2]', 'eventTarget = OUTSIDE/trace', 'normalTarget = OUTSIDE/trace2'),
  'core.worktree': config('[core]', 'worktree = OUTSIDE'),
  'core.worktree above': config('[core]', 'worktree = ../..'),
  'gc and maintenance': config('[gc]', 'auto = 1', 'recentObjectsHook = PROGRAM', '[maintenance]', 'auto = true'),
  'a merge driver': all(config('[merge "evil"]', 'driver = PROGRAM', '[merge]', 'default = evil'), attributes('* merge=evil\n')),
  'a nested repository': (scene) => void hostileRepository(scene, 'nested'),
  'a submodule': (scene) => {
    const folder = hostileRepository(scene, 'sub')
    const commit = git(folder, 'rev-parse', 'HEAD').trim()
    git(scene.top, 'update-index', '--add', '--cacheinfo', `160000,${commit},sub`)
    git(scene.top, 'commit', '--quiet', '-m', 'submodule')
    writeFileSync(
      join(scene.top, '.gitmodules'),
      `[submodule "sub"]\n path = sub\n url = ./sub\n update = !${scene.program}\n ignore = none\n`,
    )
    config(
      '[submodule "sub"]',
      'url = ./sub',
      'update = !PROGRAM',
      '[submodule]',
      'recurse = true',
      '[diff]',
      'ignoreSubmodules = none',
    )(scene)
  },
  'another repository in place of .git': (scene) => {
    const folder = hostileRepository(scene, 'evil')
    rmSync(join(scene.top, '.git'), { recursive: true })
    renameSync(join(folder, '.git'), join(scene.top, '.git'))
    attributes('* filter=evil diff=evil\n')(scene)
  },
  'a .git file that leads to another repository': (scene) => {
    const folder = hostileRepository(scene, 'evil')
    rmSync(join(scene.top, '.git'), { recursive: true })
    writeFileSync(join(scene.top, '.git'), `gitdir: ${folder}/.git\n`)
    attributes('* filter=evil diff=evil\n')(scene)
  },
  'a commondir': (scene) => {
    const folder = hostileRepository(scene, 'evil')
    writeFileSync(join(scene.gitDir, 'commondir'), `${folder}/.git\n`)
    attributes('* filter=evil diff=evil\n')(scene)
  },
  'objects of another repository': ({ gitDir, outside }) => {
    mkdirSync(join(gitDir, 'objects/info'), { recursive: true })
    writeFileSync(join(gitDir, 'objects/info/alternates'), `${outside}\n`)
  },
  "a commondir in Pawl's own folder": (scene) => {
    const folder = hostileRepository(scene, 'evil')
    for (const place of ownFolders(scene)) writeFileSync(join(place, 'commondir'), `${folder}/.git\n`)
    mkdirSync(join(folder, '.git/info'), { recursive: true })
    writeFileSync(join(folder, '.git/info/attributes'), '* filter=evil\n')
    attributes('* filter=evil\n')(scene)
  },
  "settings in Pawl's own folder": (scene) => {
    for (const place of ownFolders(scene)) {
      appendFileSync(join(place, 'config'), `[filter "evil"]\n clean = ${scene.program}\n smudge = ${scene.program}\n`)
      writeFileSync(join(place, 'info/attributes'), '* filter=evil\n')
    }
  },
  "links in Pawl's own folder": (scene) => {
    for (const place of ownFolders(scene))
      for (const name of ['config', 'HEAD', 'info/exclude', 'info/attributes', 'index', 'restoring', 'restoring.new'])
        link(join(scene.outside, 'keep'), join(place, name))
  },
  "Pawl's own folder as a link": (scene) => ownFolders(scene).forEach((place) => link(scene.outside, place)),
  "the folder of Pawl's own folders as a link": (scene) =>
    ownFolders(scene).forEach((place) => link(scene.outside, dirname(place))),
  'the snapshots as a link': ({ gitDir, outside }) => link(outside, join(gitDir, 'refs/pawl')),
  "the run's snapshots as a link": ({ gitDir, outside }) => link(outside, join(gitDir, 'refs/pawl/run')),
  'the objects as a link': ({ gitDir, outside }) => link(outside, join(gitDir, 'objects')),
  'the refs as a link': ({ gitDir, outside }) => link(outside, join(gitDir, 'refs')),
  'branches as a link': ({ gitDir, outside }) => link(outside, join(gitDir, 'refs/heads')),
  '.git as a link to a plain folder': ({ top, outside }) => link(outside, join(top, '.git')),
  'a folder of the project as a link': ({ top, outside }) => link(outside, join(top, 'folder')),
  'a file of the project as a link': ({ top, outside }) => link(join(outside, 'keep'), join(top, 'a.txt')),
  '.pawl as a link': ({ top, outside }) => link(outside, join(top, '.pawl')),
}

/** Takes away what is there and puts a link in its place. */
function link(target: string, path: string): void {
  rmSync(path, { recursive: true, force: true })
  mkdirSync(dirname(path), { recursive: true })
  symlinkSync(target, path)
}

/** The file contents of the first commit, so that git has to look for them elsewhere. */
function loseObjects({ top, gitDir }: Scene): void {
  const blob = git(top, 'rev-parse', 'HEAD:a.txt').trim()
  rmSync(join(gitDir, 'objects', blob.slice(0, 2), blob.slice(2)), { force: true })
}

function ownFolders({ gitDir }: Scene): readonly string[] {
  const worktrees = existsSync(join(gitDir, 'worktrees'))
    ? readdirSync(join(gitDir, 'worktrees')).map((name) => join(gitDir, 'worktrees', name))
    : []
  return [gitDir, ...worktrees].map((folder) => join(folder, 'pawl/run')).filter((path) => existsSync(path))
}

function git(cwd: string, ...args: readonly string[]): string {
  return execFileSync('git', args, { cwd, env: gitTestEnvironment, encoding: 'utf8' })
}

function makeScene(): Scene & { readonly project: string } {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-hostile-')))
  onTestFinished(() => rmSync(base, { recursive: true, force: true }))
  const [project, outside] = [join(base, 'project'), join(base, 'outside')]
  for (const folder of [join(project, 'folder'), outside]) mkdirSync(folder, { recursive: true })
  writeFileSync(join(outside, 'keep'), 'KEEP')
  const program = join(base, 'program')
  writeFileSync(program, `#!/bin/sh\necho "$@" >> ${outside}/marker\ncat\n`, { mode: 0o755 })
  for (const name of ['a.txt', 'b.txt', 'folder/c.txt']) writeFileSync(join(project, name), `${name}\n`)
  git(project, 'init', '--quiet', '--initial-branch=main')
  git(project, 'add', '--all')
  git(project, 'commit', '--quiet', '-m', 'first')
  return { project, top: project, gitDir: join(project, '.git'), outside, program }
}

/** Everything that Pawl does with a workspace, one thing after another, whatever becomes of the one before. */
async function useAll(workspace: () => Workspace, { project }: { readonly project: string }, since: string): Promise<void> {
  const part = workspace()
  const steps: readonly (() => unknown)[] = [
    () => part.open('run', since),
    () => part.observe('run', '1', since),
    () => part.isAsKept?.('run', since),
    () => part.preview?.('run', since),
    () => part.leftOut?.('run'),
    () => part.ignored?.('run', ['**']),
    () => part.commit?.('run', { key: 'k', branch: 'side', message: 'm' }),
    () => part.commit?.('run', { key: 'k', branch: 'side', message: 'm' }),
    () => part.restore('run', since),
    () => part.observe('run', '2', since),
    () => part.diff?.(since, 'refs/pawl/run/2'),
    () => part.filesOf?.(since),
    () => part.blame?.({ path: 'a.txt', snapshots: [since, 'refs/pawl/run/2'], isPresent: true }),
  ]
  for (const step of steps) await attempt(step)
  const cwd = project
  await attempt(() => listFiles(cwd, 1000, AbortSignal.timeout(30_000)))
  await attempt(() => workingDiff(cwd, 100_000))
  await attempt(async () => {
    const present = { files: new Map(), read: async () => undefined }
    const room = await copiedRoom({
      run: 'run',
      cwd,
      present,
      changes: { remove: [], write: [] },
      leftOut: async () => [],
      isBuilt: false,
    } as never)
    await room.close()
  })
  await attempt(() => worktreeLosses(cwd, 'run'))
  await attempt(() => removeWorktree(cwd, 'run'))
  await attempt(() => dropLabels(workspace().spec, 'run', ['1', '2']))
}

async function attempt(step: () => unknown): Promise<void> {
  try {
    await step()
  } catch (error) {
    // A hostile workspace may well be refused, in words of ours or the system's.
    if (!(error instanceof PawlError) && !(error instanceof Error && 'code' in error)) throw error
  }
}

function contents(folder: string): readonly string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  return entries.map((entry) => join(entry.parentPath, entry.name)).toSorted()
}

interface Kind {
  make(path: string): Workspace
  /** The plants that can matter there. */
  readonly plants: readonly string[]
}

const NAMES = Object.keys(PLANTS)
const KINDS: Readonly<Record<string, Kind>> = {
  git: { make: (path) => gitWorkspace({ path }), plants: NAMES },
  'git worktree': {
    make: (path) => gitWorkspace({ path, worktree: true }),
    plants: NAMES.filter((name) => /filter|repository|commondir|own folder|link/.test(name)),
  },
  folder: { make: (path) => folderWorkspace({ path }), plants: NAMES.filter((name) => / as a link|filter$/.test(name)) },
}

describe.for(Object.entries(KINDS))('a hostile workspace: %s', ([kind, { make, plants }]) => {
  test.for(plants)('BOX-11 what the agent planted starts and writes nothing outside: %s', { timeout: 60_000 }, async (name) => {
    const made = makeScene()
    const workspace = (): Workspace => make(made.project)
    const first = workspace()
    const { cwd } = await first.open('run')
    const { snapshot } = await first.observe('run', '0')
    for (const path of ['a.txt', 'new.txt', 'folder/c.txt']) writeFileSync(join(cwd, path), 'changed\n')
    PLANTS[name]!({ ...made, top: kind === 'git worktree' && !name.startsWith('.pawl') ? cwd : made.project })
    rmSync(join(made.outside, 'marker'), { force: true })
    const before = contents(made.outside)
    await useAll(workspace, made, snapshot)
    await attempt(() => first.observe('run', '3', snapshot))
    await attempt(() => first.restore('run', snapshot))
    expect(contents(made.outside)).toEqual(before)
    expect(readFileSync(join(made.outside, 'keep'), 'utf8')).toBe('KEEP')
  })
})
