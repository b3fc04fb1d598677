// Written by scripts/list-parts.ts (`npm run parts`) from the `@part` and `@settings` comments: do not edit.

/** Every part that a run can name, by its kind. Its factory is imported when the run needs it. */
export const PARTS = {
  agents: {
    acp: async () => (await import('../agents/acp/acp-agent.ts')).acpAgent,
    'ai-sdk': async () => (await import('../agents/ai-sdk/ai-sdk-agent.ts')).modelAgent,
    claude: async () => (await import('../agents/claude.ts')).claudeAgent,
    codex: async () => (await import('../agents/codex.ts')).codexAgent,
    command: async () => (await import('../agents/command-agent.ts')).commandAgent,
    gemini: async () => (await import('../agents/gemini.ts')).geminiAgent,
    opencode: async () => (await import('../agents/opencode.ts')).opencodeAgent,
    qwen: async () => (await import('../agents/qwen.ts')).qwenAgent,
    explorer: async () => (await import('../explorer/explorer-agent.ts')).explorerAgent,
  },
  checks: {
    'agent-review': async () => (await import('../checks/agent-review.ts')).agentReview,
    command: async () => (await import('../checks/command-check.ts')).commandCheck,
    'content-pattern': async () => (await import('../checks/content-pattern.ts')).contentPattern,
    coverage: async () => (await import('../checks/coverage.ts')).coverage,
    'file-existence': async () => (await import('../checks/file-existence.ts')).fileExistence,
    'person-review': async () => (await import('../checks/person-review.ts')).personReview,
  },
  codebases: {
    'folder-codebase': async () => (await import('../codebase/folder-codebase.ts')).folderCodebase,
  },
  isolations: {
    container: async () => (await import('../sandbox/container.ts')).container,
    sandbox: async () => (await import('../sandbox/sandbox.ts')).sandbox,
    command: async () => (await import('../sandbox/wrapper.ts')).wrapper,
  },
  loops: {
    parallel: async () => (await import('../loops/parallel/index.ts')).parallelLoop,
    ralph: async () => (await import('../loops/ralph/index.ts')).ralphLoop,
    research: async () => (await import('../loops/research/loop.ts')).researchLoop,
    review: async () => (await import('../loops/review/index.ts')).reviewLoop,
    task: async () => (await import('../loops/task/index.ts')).taskLoop,
  },
  workspaces: {
    folder: async () => (await import('../workspaces/folder-workspace.ts')).folderWorkspace,
    git: async () => (await import('../workspaces/git-workspace.ts')).gitWorkspace,
  },
}

/** The names of the report formats, for those who need no parser. */
export const REPORT_FORMAT_NAMES: readonly string[] = [
  'blocks',
  'cargo-json',
  'cargo',
  'compiler',
  'ctest',
  'dotnet',
  'maven',
  'gradle',
  'phpunit',
  'eslint-json',
  'eslint',
  'general',
  'github',
  'go-json',
  'go',
  'jest-json',
  'jest',
  'junit',
  'mocha-json',
  'mocha',
  'node',
  'pytest',
  'rspec',
  'sarif',
  'tap',
  'tsc',
  'unittest',
  'vitest-json',
  'vitest',
]
