import type { CommandEntry } from './cli-context.ts'
import { guardName } from './guard-name.ts'

/** The commands that make a run continue, or end it. */
export const drivingCommands: readonly CommandEntry[] = [
  {
    usage: 'task [goals...]',
    group: 'Run',
    description: 'run an agent on a goal until your checks prove it done',
    examples: [
      'task "Login returns a numeric userId" --agent claude --check "npm test"',
      'task "Make the build pass" --agent-command "my-agent --fast" --check make --max-iterations 8 --budget-usd 5',
      'task "Fix the flaky test" --agent tinker --check "npm test" --worktree --id flaky',
      'task "Login returns a numeric userId" "Logout ends the session" --reviewer person --protect "test/**"',
      'task --tasks todo.md --agent claude --check "npm test"',
      'task --tasks todo.md --agent claude --check "npm test" --parallel 4',
    ],
    options: async (command) => (await import('./run-flags.ts')).taskFlags(command),
    run: async (context, flags, goals) => (await import('./commands/task.ts')).task(context, flags, goals),
  },
  {
    usage: 'race <goal>',
    group: 'Run',
    description: 'give one goal to several agents and keep the best result',
    examples: [
      'race "Login returns a numeric userId" --agents claude,codex,gemini --check "npm test"',
      'race "Make the build pass" --agents claude,codex --check make --best --onto main',
    ],
    options: async (command) => (await import('./run-flags.ts')).raceFlags(command),
    run: async (context, flags, [goal = '']) => (await import('./commands/parallel.ts')).race(context, flags, goal),
  },
  {
    usage: 'ralph',
    group: 'Run',
    description: 'repeat one prompt until its promise and your checks hold',
    examples: [
      'ralph --prompt-file PROMPT.md --agent claude --check "npm test"',
      'ralph --prompt-file PROMPT.md --agent codex --rule rules.yaml --promise DONE --min-iterations 3 --max-iterations 50',
      'ralph --prompt "Do the next item of PLAN.md" --agent-command my-agent --check make --budget-usd 10 --worktree',
      'ralph --prompt-file PROMPT.md --agent claude --check "npm test" --bind',
    ],
    options: async (command) => (await import('./run-flags.ts')).ralphFlags(command),
    run: async (context, flags) => (await import('./commands/ralph.ts')).ralph(context, flags),
  },
  {
    usage: 'review [plan]',
    group: 'Run',
    description: 'work through a plan with coders, a reviewer and your tests',
    examples: [
      'review --goal "Users can log in" --planner claude --coder codex --reviewer gemini --check "npm test"',
      'review plan.md --agent claude --reviewer codex --check "npm test"',
      'review plan.yaml --coder claude --coder codex --reviewer gemini --check "npm test" --alternate',
      'review plan.md --coder fast=my-agent --coder slow=claude --reviewer person --check make --max-rework 5 --budget-usd 10',
    ],
    options: async (command) => (await import('./run-flags.ts')).reviewFlags(command),
    run: async (context, flags, [plan]) => (await import('./commands/review.ts')).review(context, flags, plan),
  },
  {
    usage: 'research [question]',
    group: 'Run',
    description: 'answer a question about a codebase, citations verified',
    examples: [
      'research "Where is the login handled and what uses it?"',
      'research "How does the session cache work, and is it safe?" --agent claude --strategy broad --report answer.md',
      'research "Why is the parser slow?" --path ../other-repo --offline',
      'research init',
    ],
    options: async (command) => (await import('./run-flags.ts')).researchFlags(command),
    run: async (context, flags, [question]) => (await import('./commands/research.ts')).research(context, flags, question),
  },
  {
    usage: 'worker',
    group: 'Run',
    description: 'drive queued runs, as many at once as it has slots',
    examples: ['worker --slots 4', 'worker --slots 8 --labels linux,gpu', 'worker --once'],
    options: (command) =>
      command
        .option('--slots <count>', 'how many runs it drives at once (default: 1)')
        .option('--labels <names>', 'what this machine has: runs that need others are left to other workers')
        .option('--once', 'end when no run is due and none is driven'),
    run: async (context, flags) => (await import('./commands/worker.ts')).worker(context, flags),
  },
  {
    usage: 'resume [run]',
    group: 'Continue',
    description: 'continue a run after a crash, a pause or an answer',
    examples: [
      'resume fix-login',
      'resume fix-login --max-iterations 12',
      'resume fix-login --answer 1 --timeout 1h',
      'resume fix-login --waive circuitBreaker',
      'resume fix-login --unbind',
      'resume --due',
    ],
    options: async (command) => (await import('./run-flags.ts')).resumeFlags(command),
    run: async (context, flags, [run]) => (await import('./commands/resume.ts')).resume(context, flags, run),
  },
  {
    usage: 'answer <run> [choice]',
    group: 'Continue',
    description: "answer a run's question by number, name or in your words",
    examples: [
      'answer fix-login',
      'answer fix-login 2 --resume',
      'answer fix-login 1 --note "The API contract says integer."',
      'answer fix-login "Look at the serializer, not at the parser"',
      'answer fix-login false-alarm --guard circuitBreaker --note "It was nearly done."',
    ],
    options: (command) =>
      command
        .option('--note <text>', 'tell the agent something with it')
        .option('--guard <name>', 'with false-alarm: only this guard was wrong; also one that only warned', guardName)
        .option('--resume', 'continue the run right away')
        .option('--reload', 'with --resume: take what pawl.yaml says now'),
    run: async (context, flags, [run = '', choice]) => (await import('./commands/answer.ts')).answer(context, flags, run, choice),
  },
  {
    usage: 'check [file]',
    group: 'Advanced',
    description: 'decide about an iteration_check document',
    examples: ['check attempt.yaml', 'check attempt.yaml --run task-003 --exit-code', 'check --json < attempts.jsonl'],
    options: (command) =>
      command
        .option('--run <run>', 'keep the attempts as this run; a later call continues it')
        .option('--exit-code', 'tell the last decision by the exit code: 0 proceed, 10 retry, 3 escalate or wait'),
    run: async (context, flags, [file]) => (await import('./commands/check.ts')).check(context, flags, file),
  },
  {
    usage: 'abort <run>',
    group: 'Continue',
    description: 'end a run for good and stop its agent',
    examples: ['abort fix-login', 'abort fix-login --reason "wrong branch"'],
    options: (command) => command.option('--reason <text>', 'kept in the journal'),
    run: async (context, flags, [run = '']) => (await import('./commands/abort.ts')).abort(context, flags, run),
  },
]
