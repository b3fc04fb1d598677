import type { CommandEntry } from './command-entry.ts'

/** The commands for beginning. */
export const setUpCommands: readonly CommandEntry[] = [
  {
    usage: 'init',
    description: 'find the test command and the installed agents, and write a commented pawl.yaml',
    examples: ['init', 'init --yes', 'init --force'],
    options: (command) =>
      command
        .option('-y, --yes', 'ask nothing: take what was found')
        .option('--force', 'replace an existing pawl.yaml; the old one is kept as pawl.yaml.bak'),
    run: async (context, flags) => (await import('./commands/init.ts')).init(context, flags),
  },
  {
    usage: 'doctor',
    description: 'look whether everything is in place, and say how to mend what is not',
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
