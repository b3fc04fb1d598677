import { posix } from 'node:path'

/** What code does that lets a check pass without the work being right. */
export type SuspiciousKind = 'test-framework' | 'check-switched-off' | 'check-patched' | 'early-exit'

export interface SuspiciousLine {
  readonly kind: SuspiciousKind
  readonly file: string
  readonly text: string
}

/**
 * Lines of code that are new and that no crossing can see through. `early-exit` matters only where no test is known by name. `commands`
 * are those of the checks: what switches a tool off matters if the tool is run.
 */
export function suspiciousLines(file: string, before: string, now: string, commands: string): readonly SuspiciousLine[] {
  const rules = RULES.filter(([, paths, , tool]) => paths.test(posix.basename(file)) && (tool?.test(commands) ?? true))
  if (rules.length === 0) return []
  const old = new Set(before.split('\n').map((line) => line.trim()))
  return now.split('\n').flatMap((line) => {
    const text = line.trim()
    if (text === '' || old.has(text)) return []
    const [kind] = rules.find(([, , pattern]) => pattern.test(text)) ?? []
    return kind ? [{ kind, file, text }] : []
  })
}

const SCRIPT = /\.(?:[cm]?[jt]sx?|vue|svelte)$/
const PYTHON = /\.py$/
const FRAMEWORKS = 'vitest|jest|@jest/globals|mocha|chai|ava|tap|uvu|node:test|bun:test|@playwright/test|@testing-library/[\\w-]+'

const RULES: readonly (readonly [kind: SuspiciousKind, paths: RegExp, line: RegExp, tool?: RegExp])[] = [
  ['test-framework', SCRIPT, new RegExp(`(?:from|import|require\\(|import\\()\\s*\\(?['"](?:${FRAMEWORKS})['"/]`)],
  [
    'test-framework',
    PYTHON,
    /^(?:import|from)\s+(?:pytest|_pytest|unittest|nose|doctest)\b|__import__\(\s*['"](?:pytest|_pytest|unittest)\b/,
  ],
  [
    'test-framework',
    PYTHON,
    /\b(?:pytest|unittest)\b.*\bsys\.modules\b|\bsys\.modules\b.*\b(?:pytest|unittest)\b|\bPYTEST_(?:CURRENT_TEST|VERSION)\b/,
  ],
  [
    'test-framework',
    SCRIPT,
    /\b(?:VITEST(?:_\w+)?|JEST_WORKER_ID|NODE_TEST_CONTEXT)\b|import\.meta\.vitest|\breadFile(?:Sync)?\(.*(?:\.(?:test|spec)\.|\btests?\/)/,
  ],
  [
    'test-framework',
    SCRIPT,
    /\.stack\b.*\b(?:includes|match|test|indexOf)\(|\bprocess\.(?:argv|execArgv)\b.*\b(?:test|spec|vitest|jest)\b/,
  ],
  ['check-patched', PYTHON, /['"]__(?:eq|ne)__['"]\s*:/],
  ['check-switched-off', SCRIPT, /@ts-(?:nocheck|ignore|expect-error)/, /\btsc\b|\btypecheck\b|\bvue-tsc\b/],
  ['check-switched-off', SCRIPT, /\b(?:eslint|oxlint)-disable|\bbiome-ignore/, /\b(?:eslint|oxlint|biome|xo|standard)\b/],
  ['check-switched-off', SCRIPT, /\b(?:istanbul|c8|v8) ignore/, /\b(?:c8|nyc|coverage)\b/],
  ['check-switched-off', PYTHON, /#\s*(?:type|mypy|pyright):\s*ignore/, /\b(?:mypy|pyright|pytype|pyre)\b/],
  ['check-switched-off', PYTHON, /#\s*(?:ruff:\s*)?noqa|#\s*pylint:\s*disable/, /\b(?:ruff|flake8|pylint)\b/],
  ['check-switched-off', PYTHON, /#\s*pragma:\s*no cover/, /\bcov/],
  ['check-switched-off', /\.go$/, /\/\/\s*nolint/, /\bgolangci-lint\b/],
  ['check-switched-off', /\.rs$/, /#!?\[allow\(/, /\bclippy\b/],
  [
    'check-patched',
    SCRIPT,
    /\bassert(?:\.strict)?\.\w+\s*=[^=]|\b(?:globalThis|global)(?:\.|\[['"])(?:test|it|describe|expect|assert|suite|process)\b['"\]]*\s*=[^=]/,
  ],
  [
    'check-patched',
    SCRIPT,
    /\b(?:Object|Array|String|Number|Boolean|Function|Promise|Error|RegExp|Map|Set|Date|JSON|Math|Reflect)\.(?:prototype\.)?\w+\s*=[^=>]/,
  ],
  [
    'check-patched',
    SCRIPT,
    /\bprocess\.(?:exitCode\s*=\s*0|on\(\s*['"](?:exit|uncaughtException|unhandledRejection|beforeExit)['"]|exit\s*=[^=])/,
  ],
  [
    'check-patched',
    PYTHON,
    /^\s*def\s+__(?:eq|ne|lt|le|gt|ge)__\(.*\)[^:]*:\s*return\s+True\b|\bbuiltins\.\w+\s*=[^=]|\bsys\.(?:excepthook|settrace|setprofile)\b|\batexit\.register\(/,
  ],
  ['early-exit', SCRIPT, /\bprocess\.(?:exit|reallyExit|abort)\s*\(|\bprocess\.kill\(\s*process\.pid|\bDeno\.exit\(/],
  ['early-exit', PYTHON, /\bos\._exit\(|\bsys\.exit\(|\b(?:quit|exit)\(|\bos\.kill\(\s*os\.getpid|\braise\s+SystemExit/],
  ['early-exit', /\.(?:sh|bash)$/, /\bexit\s+0\b/],
]
