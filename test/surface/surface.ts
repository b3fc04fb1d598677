import { commandLine } from './cli.ts'
import { exportedTypes } from './exports.ts'
import { hookAnswers } from './hooks.ts'
import { mcpOverHttp, mcpOverStdio } from './mcp.ts'
import { ROOT } from './pawl.ts'
import { recordedRuns } from './runs.ts'
import { settingsKeys } from './settings.ts'

/** Everything that users can touch, as JSON, found out from the built package alone: where its source files are doesn't matter. */
export async function surface(): Promise<string> {
  const [cli, mcp, http, hooks, runs] = await Promise.all([
    commandLine(),
    mcpOverStdio(),
    mcpOverHttp(),
    hookAnswers(),
    recordedRuns(),
  ])
  const exports = exportedTypes(ROOT)
  const { EventData: data, ...main } = exports['pawl'] ?? {}
  const all = {
    commandLine: cli,
    hooks,
    http,
    mcp,
    pawlYaml: settingsKeys(),
    runs: runs.settings,
    events: { envelope: runs.envelope.join(' '), versionsSeen: runs.versions, data },
    exports: { ...exports, pawl: main },
  }
  return `${JSON.stringify(all, inLines, 2)}\n`
}

/** A text of several lines as a list, so that a difference shows the line. */
function inLines(_key: string, value: unknown): unknown {
  return typeof value === 'string' && value.includes('\n') ? value.split('\n') : value
}
