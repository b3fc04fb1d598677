import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig, type TsdownPlugin } from 'tsdown'

/**
 * The doors of the package: `dist/NAME.mjs` and the file it is made from. Every door but `cli` and `tinker`, which are started
 * and not imported, has its line in `exports` of package.json; test/tidy.test.ts checks that.
 */
export const ENTRIES: Readonly<Record<string, string>> = {
  index: 'src/index.ts',
  cli: 'src/surfaces/cli/main.ts',
  tinker: 'src/drivers/agents/tinker/main.ts',
  guards: 'src/core/guards/index.ts',
  'loops/task': 'src/loops/task/index.ts',
  'agents/command': 'src/drivers/agents/command-agent.ts',
  'checks/command': 'src/surfaces/library/compose.ts',
  'checks/agent-review': 'src/drivers/checks/agent-review.ts',
  'checks/person-review': 'src/drivers/checks/person-review.ts',
  'stores/sqlite': 'src/drivers/stores/sqlite-store.ts',
  'stores/memory': 'src/drivers/stores/memory-store.ts',
  'workspaces/git': 'src/drivers/workspaces/git-workspace.ts',
  'workspaces/folder': 'src/drivers/workspaces/folder-workspace.ts',
  similarity: 'src/core/similarity/index.ts',
  testing: 'src/testing/index.ts',
}

/**
 * One build for library and CLI, so that both share their chunks: a `PawlError` thrown by a user's own loop is the CLI's
 * `PawlError`. Libraries in `devDependencies` are bundled (the CLI starts in a third of the time, and installing Pawl
 * installs one package); those in `dependencies` and `peerDependencies` are not.
 */
export default defineConfig({
  entry: ENTRIES,
  platform: 'node',
  target: 'node24',
  dts: true,
  deps: { onlyBundle: false },
  plugins: [bundledLicences()],
  suppressWarnings: [/TypeScript 7\.0 does not yet have a stable API/],
})

/** Writes `dist/licences.txt`: bundled libraries are passed on, and their licences ask to be passed on with them. */
function bundledLicences(): TsdownPlugin {
  return {
    name: 'bundled-licences',
    generateBundle(_options, bundle) {
      const modules = Object.values(bundle).flatMap((output) => (output.type === 'chunk' ? output.moduleIds : []))
      const folders = new Set(modules.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? []))
      this.emitFile({ type: 'asset', fileName: 'licences.txt', source: [...folders].toSorted().map(licenceOf).join('\n') })
    },
  }
}

function licenceOf(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<string, string>
  const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each))
  const text = file === undefined ? `Licence: ${license}\n` : readFileSync(join(folder, file), 'utf8')
  return `== ${name} ${version}\n\n${text}`
}
