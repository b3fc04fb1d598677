import type { Command } from 'commander'
import type { CommandEntry } from './cli-context.ts'
import { guardName } from './guard-name.ts'

/** The commands that show runs and bring files back. */
export const lookingCommands: readonly CommandEntry[] = [
  {
    usage: 'ls',
    group: 'Inspect',
    description: 'list the runs and what each one needs',
    examples: ['ls', 'ls --all', 'ls --status escalated --json'],
    options: (command) =>
      command
        .option('--all', 'all runs, not only the last 20')
        .option(
          '--status <status>',
          'only runs that are: running, idle, waiting, escalated, paused, completed, stopped, aborted, imported, damaged',
        ),
    run: async (context, flags) => (await import('./commands/ls.ts')).ls(context, flags),
  },
  {
    usage: 'show <run>',
    group: 'Inspect',
    description: 'show why a run stopped, its iterations and its question',
    examples: ['show fix-login', 'show fix-login --json', 'show shop-plan --provenance'],
    options: (command) => command.option('--provenance', 'of a review: who worked in each iteration, why, and the verdict on it'),
    run: async (context, flags, [run = '']) => (await import('./commands/show.ts')).show(context, run, flags),
  },
  {
    usage: 'log <run>',
    group: 'Inspect',
    description: "print a run's events, one line each",
    examples: ['log fix-login', 'log fix-login --follow', 'log fix-login --type decision.made --json'],
    options: (command) =>
      command
        .option('-f, --follow', 'keep printing until the run is over')
        .option('--after <seq>', 'only events after this one')
        .option('--type <type>', 'only events of this type or group: check.failed, check'),
    run: async (context, flags, [run = '']) => (await import('./commands/log.ts')).log(context, run, flags),
  },
  {
    usage: 'attach <run>',
    group: 'Inspect',
    description: 'watch a run live: its progress and what the agent does',
    examples: ['attach fix-login'],
    run: async (context, _flags, [run = '']) => (await import('./commands/attach.ts')).attach(context, run),
  },
  {
    usage: 'text <run> <event>',
    group: 'Inspect',
    description: 'print a whole brief, output or diff that an event refers to',
    examples: ['text fix-login 6', 'text fix-login 10 | less'],
    run: async (context, _flags, [run = '', place = '']) => (await import('./commands/text.ts')).text(context, run, place),
  },
  {
    usage: 'diff <run> [iteration]',
    group: 'Inspect',
    description: 'show what an iteration changed (default: the best one)',
    examples: ['diff fix-login', 'diff fix-login 2', 'diff fix-login --total | git apply -R'],
    options: (command) => command.option('--total', 'against the beginning of the run'),
    run: async (context, flags, [run = '', which]) => (await import('./commands/diff.ts')).diff(context, run, which, flags),
  },
  {
    usage: 'blame <file> [run]',
    group: 'Inspect',
    description: 'show which iteration and agent wrote each line of a file',
    examples: ['blame src/login.ts', 'blame src/login.ts fix-login', 'blame src/login.ts --json'],
    run: async (context, _flags, [file = '', run]) => (await import('./commands/blame.ts')).blame(context, file, run),
  },
  {
    usage: 'restore <run> [tree]',
    group: 'Continue',
    description: 'bring back the files of an iteration (0: before any work)',
    examples: ['restore fix-login', 'restore fix-login 2 --yes', 'restore fix-login saved-1'],
    options: (command) => command.option('-y, --yes', 'do not ask'),
    run: async (context, flags, [run = '', which]) => (await import('./commands/restore.ts')).restore(context, run, which, flags),
  },
  {
    usage: 'clean [runs...]',
    group: 'Set up',
    description: 'remove the worktrees of runs that are over',
    examples: ['clean', 'clean fix-login', 'clean fix-login flaky --yes'],
    options: (command) => command.option('-y, --yes', 'do not ask where something is in no snapshot'),
    run: async (context, flags, runs) => (await import('./commands/clean.ts')).clean(context, runs, flags),
  },
  {
    usage: 'rm <runs...>',
    group: 'Set up',
    description: 'remove runs with their journal, snapshots and worktree',
    examples: ['rm fix-login', 'rm fix-login flaky --yes', 'rm fix-login --dry-run'],
    options: (command) => removing(command),
    run: async (context, flags, runs) => (await import('./commands/rm.ts')).rm(context, runs, flags),
  },
  {
    usage: 'prune',
    group: 'Set up',
    description: 'remove old runs, but none at work or waiting for an answer',
    examples: ['prune --older-than 30d', 'prune --older-than 2026-11-01 --dry-run', 'prune --older-than 4w --waiting --yes'],
    options: (command) =>
      removing(command)
        .option('--older-than <date>', 'without an event since: 2026-11-01, 30d, 4w (default: 30d)')
        .option('--waiting', 'also runs that wait for an answer'),
    run: async (context, flags) => (await import('./commands/rm.ts')).prune(context, flags),
  },
  {
    usage: 'du',
    group: 'Set up',
    description: 'show what runs, snapshots and texts take on disk',
    examples: ['du', 'du --json'],
    run: async (context) => (await import('./commands/du.ts')).du(context),
  },
  {
    usage: 'stats',
    group: 'Inspect',
    description: 'show what guards stopped, saved and got wrong',
    examples: ['stats', 'stats --since 30d', 'stats --guard circuitBreaker --json'],
    options: (command) =>
      command
        .option('--since <date>', 'only runs that began since then: 2026-11-01, 30d, 4w')
        .option('--guard <name>', 'only what this guard did', guardName),
    run: async (context, flags) => (await import('./commands/stats.ts')).stats(context, flags),
  },
  {
    usage: 'backtest [sources...]',
    group: 'Advanced',
    description: 'replay recorded loops under other guards and limits',
    examples: ['backtest', 'backtest recorded/ --policy strict.yaml --policy defaults', 'backtest loops.jsonl.gz --html'],
    options: (command) =>
      command
        .option(
          '--policy <file>',
          'a file with a policy, a module that exports some, or a built-in one: defaults, all (repeatable; default: both)',
          repeated,
        )
        .option(
          '--html [file]',
          'write a page with the frontier as charts (default: pawl-backtest.html; name it after the sources)',
        )
        .option('--force', 'overwrite the page'),
    run: async (context, flags, sources) => (await import('./commands/backtest.ts')).backtest(context, sources, flags),
  },
  {
    usage: 'tune',
    group: 'Advanced',
    description: 'propose thresholds from your own runs',
    examples: ['tune', 'tune --guard circuitBreaker --write', 'tune --since 90d --json'],
    options: (command) =>
      command
        .option('--since <date>', 'only runs that began since then: 2026-11-01, 30d, 4w')
        .option('--guard <name>', 'only this guard', guardName)
        .option('--write', 'write the proposals into pawl.yaml, comments kept; the old file stays beside it'),
    run: async (context, flags) => (await import('./commands/tune.ts')).tune(context, flags),
  },
  {
    usage: 'import <agent> [files...]',
    group: 'Advanced',
    description: 'read transcripts of Claude Code, Codex or Gemini CLI',
    examples: [
      'import claude ~/.claude/projects/-home-me-shop',
      'import codex ~/.codex/sessions/2026/11 --dry-run',
      'import gemini session-2026-11-16.jsonl --id login-chat',
    ],
    options: (command) =>
      command
        .option('--id <run>', "name of the run, for one file (default: made from the session's id)")
        .option('--dry-run', 'only say what would be imported')
        .option('--driven', 'sessions that Pawl drove itself as well, which then count twice'),
    run: async (context, flags, [agent = '', ...files]) =>
      (await import('./commands/import.ts')).importRuns(context, agent, files, flags),
  },
  {
    usage: 'verify [run]',
    group: 'Inspect',
    description: 'verify that no event was changed or removed',
    examples: ['verify fix-login', 'verify --json', 'verify --attestation fix-login.intoto.json --signers allowed_signers'],
    options: (command) =>
      command
        .option('--attestation <file>', 'whether this export of the format in-toto says what the journal of its run says')
        .option('--signers <file>', 'it must be signed by one of these (allowed signers of ssh)')
        .option('--signature <file>', "the attestation's signature (default: its name and .sig)"),
    run: async (context, { attestation, ...flags }, [run]) =>
      attestation === undefined
        ? (await import('./commands/verify.ts')).verify(context, run)
        : (await import('./commands/verify.ts')).verifyAttestation(context, attestation, run, flags),
  },
  {
    usage: 'report <run>',
    group: 'Inspect',
    description: 'write a report on a run, as Markdown or as one HTML file',
    examples: ['report fix-login', 'report fix-login --html', 'report fix-login --html --out report.html'],
    options: (command) =>
      command
        .option('--html', 'one file that opens in a browser, without a network')
        .option('-o, --out <file>', 'write there (default: RUN.html, or standard output)')
        .option('--force', 'overwrite the file'),
    run: async (context, flags, [run = '']) => (await import('./commands/report.ts')).report(context, flags, run),
  },
  {
    usage: 'export <run>',
    group: 'Inspect',
    description: 'write a run as JSON, a report or an attestation',
    examples: [
      'export fix-login > fix-login.jsonl',
      'export fix-login --format markdown --out report.md',
      'export fix-login --format in-toto --out fix-login.intoto.json',
    ],
    options: (command) =>
      command
        .option(
          '--format <format>',
          'jsonl, json, markdown, provenance-jsonl, in-toto; of research also report, report-html, report-json, chart, checkpoint (default: jsonl)',
        )
        .option('-o, --out <file>', 'write there instead of standard output')
        .option('--force', 'overwrite the file')
        .option('--sign <key>', 'sign an attestation with this ssh key, as FILE.sig'),
    run: async (context, flags, [run = '']) => (await import('./commands/export.ts')).exportRun(context, run, flags),
  },
]

function removing(command: Command): Command {
  return command.option('-y, --yes', 'do not ask').option('--dry-run', 'only say what would be removed')
}

function repeated(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value]
}
