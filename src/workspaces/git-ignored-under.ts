import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { nulEnded, rawNames, readableName } from './git-program.ts'
import type { Shadow } from './git-shadow.ts'
import { absent } from './is-there.ts'

/** Which of the raw names the ignore rules of another tree would ignore. Nothing in the work tree is touched to find out. */
export async function ignoredUnder(shadow: Shadow, tree: string, names: readonly string[]): Promise<string[]> {
  if (names.length === 0) return []
  const folder = await mkdtemp(join(tmpdir(), 'pawl-rules-'))
  try {
    const rules = join(folder, 'tree')
    await mkdir(rules)
    const env = { GIT_INDEX_FILE: join(folder, 'index'), GIT_WORK_TREE: rules }
    await shadow.git(['read-tree', tree], { cwd: rules, env })
    const listed = await shadow.git(['ls-files', '-z', '--', ':(top,glob)**/.gitignore'], { cwd: rules, env })
    await shadow.git(['checkout-index', '-z', '--force', '--stdin'], { cwd: rules, env, input: listed.stdout.toString('latin1') })
    await copyRulesAbove(shadow, rules)
    const call = { cwd: rules, env, input: nulEnded(names), exitCodes: [0, 1] }
    return rawNames((await shadow.git(['check-ignore', '-z', '--no-index', '--stdin'], call)).stdout)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** The rules of the folders above ours are in no snapshot of ours: the present ones count. */
async function copyRulesAbove({ repository: { top, prefix } }: Shadow, rules: string): Promise<void> {
  for (let above = readableName(prefix).slice(0, -1); above !== '';) {
    above = dirname(above) === '.' ? '' : dirname(above)
    await mkdir(join(rules, above), { recursive: true })
    await copyFile(join(top, above, '.gitignore'), join(rules, above, '.gitignore')).catch(absent)
  }
}
