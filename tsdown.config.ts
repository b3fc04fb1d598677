import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig, type TsdownPlugin, type UserConfig } from 'tsdown'

/**
 * The doors of the package: `dist/NAME.mjs` and the file it is made from. Every door but `cli`, `hook`, `mcp`, `serve`, `engine`, `sandbox-inside` and `tinker`, which
 * are started and not imported, has its line in `exports` of package.json; test/tidy.test.ts checks that.
 */
export const ENTRIES: Readonly<Record<string, string>> = {
  index: 'src/index.ts',
  cli: 'src/surfaces/cli/main.ts',
  hook: 'src/surfaces/hooks/main.ts',
  mcp: 'src/surfaces/mcp/main.ts',
  serve: 'src/surfaces/http/main.ts',
  engine: 'src/surfaces/restate/main.ts',
  tinker: 'src/tinker/main.ts',
  'sandbox-inside': 'src/sandbox/inside.ts',
  guards: 'src/guards/index.ts',
  odds: 'src/evidence/odds.ts',
  'loops/task': 'src/loops/task/index.ts',
  'loops/ralph': 'src/loops/ralph/index.ts',
  'loops/review': 'src/loops/review/index.ts',
  'loops/research': 'src/loops/research/index.ts',
  'agents/command': 'src/agents/command-agent.ts',
  'agents/claude': 'src/agents/claude.ts',
  'agents/codex': 'src/agents/codex.ts',
  'agents/gemini': 'src/agents/gemini.ts',
  'agents/qwen': 'src/agents/qwen.ts',
  'agents/opencode': 'src/agents/opencode.ts',
  'agents/acp': 'src/agents/acp/acp-agent.ts',
  'agents/ai-sdk': 'src/agents/ai-sdk/index.ts',
  'agents/explorer': 'src/explorer/explorer-agent.ts',
  isolation: 'src/sandbox/index.ts',
  'codebases/folder': 'src/codebase/folder-codebase.ts',
  'checks/command': 'src/registry/checks.ts',
  'checks/agent-review': 'src/checks/agent-review.ts',
  'checks/person-review': 'src/checks/person-review.ts',
  'checks/rules': 'src/registry/rules.ts',
  'stores/sqlite': 'src/stores/sqlite-store.ts',
  'stores/postgres': 'src/stores/postgres-store.ts',
  'stores/memory': 'src/stores/memory-store.ts',
  'workspaces/git': 'src/workspaces/git-workspace.ts',
  'workspaces/folder': 'src/workspaces/folder-workspace.ts',
  'engines/restate': 'src/surfaces/restate/index.ts',
  similarity: 'src/similarity/index.ts',
  client: 'src/surfaces/http/client.ts',
  testing: 'src/testing/index.ts',
}

/**
 * One build for library and CLI, so that both share their chunks: a `PawlError` thrown by a user's own loop is the CLI's
 * `PawlError`. Libraries in `devDependencies` are bundled (the CLI starts in a third of the time, and installing Pawl
 * installs one package); those in `dependencies` and `peerDependencies` are not.
 */
const COMMON = {
  platform: 'node',
  target: 'node24',
  // Parsers are libraries of the system that lie in their packages: bundled, they would not be found.
  deps: { onlyBundle: false, neverBundle: [/^@ast-grep\//, /^@restatedev\//] },
  suppressWarnings: [/TypeScript 7\.0 does not yet have a stable API/],
} satisfies UserConfig

/**
 * The hook is a build of its own: an agent waits for it at every step. What a step needs is in two files, since each file costs time,
 * and in CommonJS, which Node starts faster; the parts that the end of a turn needs are imported then. Its libraries are among those of
 * the other build.
 */
const { hook, ...others } = ENTRIES

export default defineConfig([
  { ...COMMON, entry: others, dts: true, plugins: [askedForNode(), bundledLicences()] },
  {
    ...COMMON,
    entry: { hook: hook as string },
    format: 'cjs',
    dts: false,
    clean: false,
    minify: true,
    outputOptions: {
      chunkFileNames: 'hook/[name]-[hash].cjs',
      codeSplitting: {
        groups: [
          { name: 'start', test: /hooks\/run-hook\.ts|engine\/bound-sessions\.ts/, priority: 2 },
          { name: 'bound', test: /hooks\/bound-hook\.ts/, priority: 1 },
        ],
      },
    },
  },
])

function askedForNode(): TsdownPlugin {
  return {
    name: 'asked-for-node',
    renderChunk: (code, { isEntry, name, fileName }) =>
      isEntry && fileName.endsWith('.mjs') ? `${firstImport(name)}${code}` : null,
  }
}

/**
 * The first import of every door that needs a new Node: in an older one whatever comes next breaks in words that help nobody. Pure doors
 * run anywhere. For the programs bin/pawl has looked at Node's version already, but somebody may start them with Bun or Deno.
 */
export function firstImport(door: string): string {
  const needsNode =
    /^src\/(?:index|agents|checks|codebase|stores|workspaces|explorer|registry|surfaces\/(?:cli|library|mcp|http\/main|restate)|testing)/.test(
      ENTRIES[door] ?? '',
    )
  return needsNode ? `import '${'../'.repeat(door.split('/').length)}bin/require-node.mjs'\n` : ''
}

/** Writes `licences.txt` beside what was built: bundled libraries are passed on, and their licences ask to be passed on with them. */
export function bundledLicences(): TsdownPlugin {
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
