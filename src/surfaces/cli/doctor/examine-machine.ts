import { childEnvironment } from '../../../process/command-options.ts'
import { resolveProgram } from '../../../process/find-program.ts'
import { runCommand } from '../../../process/run-command.ts'
import { isRepository } from '../../../settings/in-repository.ts'
import type { Examined } from './examined.ts'
import { versionOf } from './version-of.ts'

/** Node, git, and whether the folder is a repository. */
export async function examineMachine(root: string): Promise<readonly Examined[]> {
  return [examineNode(process.versions.node), ...(await examineGit(root))]
}

/** Keep in step with `engines` in package.json. */
const NODE_MIN = '24.15'

/** The first git that knows `rev-parse --path-format`. */
const GIT_MIN = '2.31'

/** Whether this Node is new enough. */
export function examineNode(version: string): Examined {
  if (isAtLeast(version, NODE_MIN)) return { topic: 'node', status: 'ok', message: version }
  return {
    topic: 'node',
    status: 'problem',
    message: `${version} is too old: Pawl needs ${NODE_MIN} or later`,
    fix: 'install a newer Node from https://nodejs.org',
  }
}

/** Without git, or outside of a repository, Pawl keeps plain copies of the folder; only a repository without git is a problem. */
async function examineGit(root: string): Promise<readonly Examined[]> {
  const isTop = isRepository(root)
  const program = await resolveProgram('git', root, childEnvironment([], {})['PATH'])
  if (program.status !== 'found') {
    const status = isTop ? 'problem' : 'warning'
    return [{ topic: 'git', status, message: 'not installed', fix: 'install git from https://git-scm.com' }, plainFolder(root)]
  }
  const asked = await versionOf(program.path, root)
  const version = 'version' in asked ? asked.version : undefined
  const folder = isTop ? await examineRepository(root, program.path) : plainFolder(root)
  if (version !== undefined && isAtLeast(version, GIT_MIN)) return [{ topic: 'git', status: 'ok', message: version }, folder]
  const tooOld = version === undefined ? 'does not say its version' : `${version} is too old: Pawl needs ${GIT_MIN} or later`
  const message = 'trouble' in asked ? asked.trouble : tooOld
  return [
    { topic: 'git', status: isTop ? 'problem' : 'warning', message, fix: 'install a newer git from https://git-scm.com' },
    folder,
  ]
}

function plainFolder(root: string): Examined {
  const message = `${root} is not the top of a git repository: Pawl keeps copies of it instead, which takes more room and time`
  return { topic: 'folder', status: 'warning', message, fix: 'run `git init` there, if you like' }
}

async function examineRepository(root: string, git: string): Promise<Examined> {
  const result = await runCommand({
    command: [git, 'rev-parse', '--is-inside-work-tree'],
    cwd: root,
    env: childEnvironment(['XDG_CONFIG_HOME', 'GIT_CONFIG_GLOBAL', 'GIT_CONFIG_SYSTEM', 'GIT_CONFIG_NOSYSTEM'], { LC_ALL: 'C' }),
    timeoutMs: 5000,
    graceMs: 200,
    signal: new AbortController().signal,
    onStarted: async () => {},
  })
  const said = result.status === 'exited' ? result.output.text.trim() : ''
  if (said === 'true') return { topic: 'folder', status: 'ok', message: `${root} is a git repository` }
  const [why = 'git does not answer'] = said.split('\n')
  const fix = `see what \`git -C ${root} status\` says`
  return { topic: 'folder', status: 'problem', message: `${root} is a repository that git cannot use: ${why}`, fix }
}

function isAtLeast(version: string, min: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [majorMin = 0, minorMin = 0] = min.split('.').map(Number)
  return major > majorMin || (major === majorMin && minor >= minorMin)
}
