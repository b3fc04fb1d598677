import type { InstallableAgent, Places } from './agent-files.ts'

/** What a person has to know or do once it is installed. */
export function afterInstall(agent: InstallableAgent, { pawl, scope }: Places): readonly string[] {
  const isPath = pawl !== 'pawl'
  const own =
    isPath && scope === 'project'
      ? [`\`pawl\` is not on the PATH, so the files name ${pawl}: do not share them before it is.`]
      : []
  return [...own, ...NOTES[agent], 'Begin in a session: ask the agent to start a loop, or bind a run with `pawl bind RUN`.']
}

const NOTES: Readonly<Record<InstallableAgent, readonly string[]>> = {
  claude: [
    'Start Claude Code anew; it asks once whether the MCP server of a project may be used.',
    'Claude Code itself ends a turn after 8 blocks in a row, unless CLAUDE_CODE_STOP_HOOK_BLOCK_CAP is raised. The run stays open then: tell it to go on.',
  ],
  codex: [
    'Codex runs no hook before you trusted it: start it and say yes under /hooks.',
    'A project has to be trusted for its .codex folder to be read.',
  ],
  gemini: ['Start Gemini CLI anew; a project has to be a trusted folder for its hooks to run.'],
  qwen: [
    'Start Qwen Code anew; a project has to be a trusted folder for its hooks to run.',
    'Qwen Code itself ends a turn after 8 blocks in a row. The run stays open then: tell it to go on.',
  ],
}
