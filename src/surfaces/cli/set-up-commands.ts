import { MCP_FLAGS, type McpFlag } from '../../settings/mcp-flags.ts'
import type { CommandEntry } from './cli-context.ts'
import type { Command } from 'commander'

/** The commands that set Pawl up, in a project and in an agent's own sessions. */
export const setUpCommands: readonly CommandEntry[] = [
  {
    usage: 'install <agent>',
    group: 'Set up',
    description: 'add the hook, MCP server and skill to your agent',
    examples: ['install claude', 'install claude --always', 'install codex --user', 'install gemini --dry-run'],
    options: (command) =>
      withScope(command).option('--always', 'hold every session to the checks of pawl.yaml when it ends its turn'),
    run: async (context, flags, [agent = '']) => (await import('./commands/install.ts')).install(context, flags, agent),
  },
  {
    usage: 'uninstall <agent>',
    group: 'Set up',
    description: 'remove what pawl install added, byte for byte',
    examples: ['uninstall claude', 'uninstall codex --user', 'uninstall gemini --dry-run'],
    options: (command) => withScope(command, 'from'),
    run: async (context, flags, [agent = '']) => (await import('./commands/install.ts')).uninstall(context, flags, agent),
  },
  {
    usage: 'bind <run>',
    group: 'Advanced',
    description: "give a run to an agent's session, whose hook continues it",
    examples: ['bind fix-login', 'bind fix-login --session 5f0e --agent gemini'],
    options: (command) =>
      command
        .option('--session <id>', 'the session (default: the one this command is called in, where the agent tells)')
        .option('--agent <name>', 'whose session it is: claude, codex, gemini or qwen'),
    run: async (context, flags, [run = '']) => (await import('./commands/bind.ts')).bind(context, flags, run),
  },
  {
    usage: 'mcp',
    group: 'Advanced',
    description: "serve this project's loops to agents as MCP tools",
    examples: ['mcp', 'mcp --http --port 8080', 'mcp --socket ~/.pawl.sock'],
    options: (command) => {
      for (const [name, { value, about }] of Object.entries<McpFlag>(MCP_FLAGS))
        command.option(value === undefined ? `--${name}` : `--${name} <${value}>`, about)
      return command
    },
    // bin/pawl starts its own program for it; here only its help is asked for.
    run: async () => {
      const { PawlError } = await import('../../core/pawl-error.ts')
      throw new PawlError('usage.mcp', 'The MCP server is a program of its own: start it as `pawl mcp` by bin/pawl.')
    },
  },
  {
    usage: 'serve',
    group: 'Inspect',
    description: 'watch and answer runs in a browser, or from your phone',
    examples: ['serve --open', 'serve --drive --share tailscale', 'serve --pair', 'serve --devices'],
    options: (command) =>
      command
        .option('--port <number>', 'where to listen (default: 7296; 0 takes a free one)')
        .option('--open', 'open the page in your browser')
        .option('--drive', 'let the page start, resume and restore runs')
        .option('--pair', 'show a QR code that lets your phone in, also while a server runs')
        .option('--share <how>', 'make the page reachable in your tailnet: tailscale')
        .option('--host <address>', 'listen on another address, for other machines')
        .option('--allow-host <name>', 'another name for this server, as a proxy gives it (repeatable)')
        .option('--public-url <url>', 'where people reach the server, for links in notices')
        .option('--devices', 'list the devices that were let in')
        .option('--revoke <id>', 'lock a device out'),
    // bin/pawl starts its own program for it; here only its help is asked for.
    run: async () => {
      const { PawlError } = await import('../../core/pawl-error.ts')
      throw new PawlError('usage.serve', 'The server is a program of its own: start it as `pawl serve` by bin/pawl.')
    },
  },
  {
    usage: 'engine <command> [runs...]',
    group: 'Advanced',
    description: 'let Restate drive runs: up, serve or drive RUN',
    examples: ['engine up', 'engine drive fix-login', 'engine serve --host 10.0.0.5 --admin http://10.0.0.9:9070'],
    options: (command) =>
      command
        .option('--port <number>', 'where runs are served (default: 9080)')
        .option('--ingress <url>', 'where Restate takes calls (default: http://127.0.0.1:8080)')
        .option('--admin <url>', "Restate's admin API (default: http://127.0.0.1:9070)")
        .option('--host <address>', 'serve on another address, for Restate on other machines')
        .option('--public-url <url>', 'the address at which Restate reaches the runs')
        .option('--identity-key <key>', 'only answer the Restate server with this public key (repeatable)')
        .option('--look-every <seconds>', 'seconds between looks for news (default: 30)'),
    // bin/pawl starts its own program for it; here only its help is asked for.
    run: async () => {
      const { PawlError } = await import('../../core/pawl-error.ts')
      throw new PawlError('usage.engine', 'The engine is a program of its own: start it as `pawl engine` by bin/pawl.')
    },
  },
  {
    usage: 'trust [commands...]',
    group: 'Set up',
    description: 'allow commands that an agent wants as checks, or list them',
    examples: ['trust "npm test"', 'trust --folder', 'trust', 'trust --remove "npm test"'],
    options: (command) =>
      command
        .option('--folder', "let `doctor` and `--always` run this pawl.yaml's programs")
        .option('--remove', 'no longer allow them'),
    run: async (context, flags, words) => (await import('./commands/trust.ts')).trust(context, flags, words),
  },
  {
    usage: 'hook <agent>',
    group: 'Advanced',
    description: 'answer one hook event (your agent calls this)',
    examples: ['hook claude < stop.json', 'hook gemini < after-agent.json'],
    options: (command) => command.option('--always', 'hold a session without a run to the checks of pawl.yaml'),
    // bin/pawl starts its own program for it; here only its help is asked for.
    run: async () => {
      const { PawlError } = await import('../../core/pawl-error.ts')
      throw new PawlError('usage.hook', 'The hook is a program of its own: start it as `pawl hook AGENT` by bin/pawl.')
    },
  },
  {
    usage: 'init',
    group: 'Set up',
    description: 'find your test command and agents, and write pawl.yaml',
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
    group: 'Set up',
    description: 'check your setup and suggest fixes',
    examples: ['doctor', 'doctor --json'],
    run: async (context) => (await import('./commands/doctor.ts')).doctor(context),
  },
  {
    usage: 'store <action> <from> <to>',
    group: 'Advanced',
    description: 'copy runs between a file and a database',
    examples: ['store copy .pawl/pawl.db postgres://db.example.com/pawl', 'store copy old.db .pawl/pawl.db --run fix-login'],
    options: (command) => command.option('--run <runs...>', 'only these runs'),
    run: async (context, flags, words) => (await import('./commands/store.ts')).store(context, flags, words),
  },
  {
    usage: 'demo',
    group: 'Set up',
    description: 'run three short loops on example projects, offline',
    examples: ['demo'],
    run: async (context) => (await import('./commands/demo.ts')).demo(context),
  },
]

/** `into` or `from` these files. */
function withScope(command: Command, way: 'into' | 'from' = 'into'): Command {
  return command
    .option('--project', `${way} the project's files (default), also those that are committed to git`)
    .option('--local', `${way} files of the project that are yours alone (claude)`)
    .option('--user', `${way} your own, for every project`)
    .option('--dry-run', 'only show what would change')
}
