import type { CommandEntry } from './cli-context.ts'
import type { Command } from 'commander'

/** The commands that set Pawl up, in a project and in an agent's own sessions. */
export const setUpCommands: readonly CommandEntry[] = [
  {
    usage: 'install <agent>',
    description: 'put hook, MCP server and skill into claude, codex, gemini or qwen; every change is shown',
    examples: ['install claude', 'install codex --user', 'install gemini --dry-run'],
    options: withScope,
    run: async (context, flags, [agent = '']) => (await import('./commands/install.ts')).install(context, flags, agent),
  },
  {
    usage: 'uninstall <agent>',
    description: 'take them out again: the files are then byte for byte what they were',
    examples: ['uninstall claude', 'uninstall codex --user', 'uninstall gemini --dry-run'],
    options: withScope,
    run: async (context, flags, [agent = '']) => (await import('./commands/install.ts')).uninstall(context, flags, agent),
  },
  {
    usage: 'bind <run>',
    description: "make a run belong to an agent's session: its hook keeps that session going until the run is done",
    examples: ['bind fix-login', 'bind fix-login --session 5f0e --agent gemini'],
    options: (command) =>
      command
        .option('--session <id>', 'the session (default: the one this command is called in, where the agent tells)')
        .option('--agent <name>', 'whose session it is: claude, codex, gemini or qwen'),
    run: async (context, flags, [run = '']) => (await import('./commands/bind.ts')).bind(context, flags, run),
  },
  {
    usage: 'mcp',
    description: 'serve the loops of this project to AI agents as MCP tools',
    examples: ['mcp', 'mcp --http --port 8080', 'mcp --socket ~/.pawl.sock'],
    options: (command) =>
      command
        .option('--http', 'over streamable HTTP, for clients that know your token (default: standard input and output)')
        .option('--port <number>', 'where to listen with --http (default: 7295; 0 takes a free one)')
        .option('--socket <path>', 'over HTTP on a socket that only you can use')
        .option('--relay-answers', "let the agent hand in a person's answer even where its client cannot ask the person")
        .option('--allow-agent-commands', "let the agent's rules run any command, without your consent"),
    // bin/pawl starts a program of its own for it; here only its help is asked for.
    run: async () => {
      const { PawlError } = await import('../../core/pawl-error.ts')
      throw new PawlError('usage.mcp', 'The MCP server is a program of its own: start it as `pawl mcp` by bin/pawl.')
    },
  },
  {
    usage: 'trust [commands...]',
    description: 'allow commands that an agent wants as checks, or list them',
    examples: ['trust "npm test"', 'trust', 'trust --remove "npm test"'],
    options: (command) => command.option('--remove', 'no longer allow them'),
    run: async (context, flags, words) => (await import('./commands/trust.ts')).trust(context, flags, words),
  },
  {
    usage: 'hook <agent>',
    description: 'answer one event of an agent: its JSON in, the answer out (called by the agent, see `pawl install`)',
    examples: ['hook claude < stop.json', 'hook gemini < after-agent.json'],
    // bin/pawl starts a program of its own for it; here only its help is asked for.
    run: async () => {
      const { PawlError } = await import('../../core/pawl-error.ts')
      throw new PawlError('usage.hook', 'The hook is a program of its own: start it as `pawl hook AGENT` by bin/pawl.')
    },
  },
  {
    usage: 'init',
    description: 'find the test command and the installed agents, and write a commented pawl.yaml',
    examples: ['init', 'init --yes', 'init --force'],
    options: (command) =>
      command
        .option('-y, --yes', 'ask nothing: take what was found')
        .option('--force', 'replace an existing pawl.yaml; the old one is kept as pawl.yaml.bak'),
    run: async (context, flags) => {
      const { newProject } = await import('../../settings/find-project.ts')
      return (await import('./commands/init.ts')).init({ ...context, project: newProject(process.cwd()) }, flags)
    },
  },
  {
    usage: 'doctor',
    description: 'check your setup and suggest fixes',
    examples: ['doctor', 'doctor --json'],
    run: async (context) => (await import('./commands/doctor.ts')).doctor(context),
  },
  {
    usage: 'demo',
    description:
      'two real loops on small example projects, offline: one succeeds, one ends in a question (with --json a document for each)',
    examples: ['demo'],
    run: async (context) => (await import('./commands/demo.ts')).demo(context),
  },
]

function withScope(command: Command): Command {
  return command
    .option('--project', "into the project's files (default)")
    .option('--user', 'into your own, for every project')
    .option('--dry-run', 'only show what would change')
}
