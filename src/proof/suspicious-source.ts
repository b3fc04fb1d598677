import { posix } from 'node:path'
import { closing } from './embedded-tests.ts'
import { exitHandlers, isInSignalHandler } from './exit-handlers.ts'

/** What code does that lets a check pass without the work being right. */
export type SuspiciousKind = 'test-framework' | 'check-switched-off' | 'check-patched' | 'early-exit' | 'type-cast'

export interface SuspiciousLine {
  readonly kind: SuspiciousKind
  readonly file: string
  readonly text: string
}

/**
 * New code that no crossing can see through. `early-exit` matters only where tests aren't known by name, `type-cast` only where nothing
 * but types is checked. `commands` are those of the checks: what switches a tool off matters if the tool is run.
 */
export function suspiciousLines(file: string, before: string, now: string, commands: string): readonly SuspiciousLine[] {
  const name = posix.basename(file)
  const rules = RULES.filter(([, paths, , tool]) => paths.test(name) && (tool?.test(commands) ?? true))
  if (rules.length === 0) return []
  const [old, present] = [plain(before), plain(now)]
  const code = SCRIPT.test(name) ? withoutCommentLines(present) : present
  const known = new Set(old.split('\n').map((line) => line.trim()))
  const found = new Map<string, SuspiciousLine>()
  for (const [kind, , pattern] of rules) {
    // Only tools are switched off by comments.
    const searched = kind === 'check-switched-off' ? present : code
    for (const { index, 0: match } of searched.matchAll(pattern)) {
      if (isHarmless(kind, file, searched, { index, match }, commands)) continue
      const from = searched.lastIndexOf('\n', index + (/^\s*/.exec(match)?.[0].length ?? 0) - 1) + 1
      const to = searched.indexOf('\n', index + match.length)
      const lines = searched.slice(Math.min(from, index), to < 0 ? undefined : to).split('\n')
      const text = lines.map((line) => line.trim()).find((line) => line !== '' && !known.has(line))
      if (text !== undefined && !found.has(text)) found.set(text, { kind, file, text })
    }
  }
  for (const text of assertionsChanged(name, present, known)) found.set(text, { kind: 'check-patched', file, text })
  for (const text of exitHandlers(name, present)) if (!known.has(text)) found.set(text, { kind: 'check-patched', file, text })
  for (const text of shellPatches(name, present, known, commands)) found.set(text, { kind: 'check-patched', file, text })
  for (const text of constantEquality(name, present, known)) found.set(text, { kind: 'check-patched', file, text })
  return [...found.values()]
}

interface Match {
  readonly index: number
  readonly match: string
}

/** What looks like a rule's pattern and can't make a check pass. */
function isHarmless(kind: SuspiciousKind, file: string, text: string, { index, match }: Match, commands: string): boolean {
  const name = posix.basename(file)
  if (kind === 'check-patched' && ENDS.test(match)) return PROGRAMS.test(file)
  // An interpreter has an `eval` of its own.
  if (kind === 'check-patched' && /^(?:eval|exec)\($/.test(match)) return isOwnFunction(match.slice(0, -1), text)
  if (kind === 'test-framework' && PYTHON.test(name)) return isRunAsProgram(text, index + match.length)
  if (kind === 'test-framework') {
    const [, word] = /^typeof\s+(\w+)$/.exec(match) ?? []
    return word !== undefined && isParameter(word, text, index)
  }
  // Several overloads say together what is there.
  const [, overloaded] = kind === 'type-cast' ? (/^function\s+(\w+)/.exec(match) ?? []) : []
  if (overloaded !== undefined) return text.split(new RegExp(`\\bfunction\\s+${overloaded}\\b`)).length > 3
  const [, extended] = kind === 'check-patched' ? (/\(\s*(\w+)\.prototype$/.exec(match) ?? []) : []
  if (extended !== undefined) return isOwnClass(extended, text)
  if (kind !== 'early-exit') return false
  const rest = text.slice(index + match.length)
  // `sys.exit(main())` ends as `main` says, and nobody who imports the module gets there.
  if (PYTHON.test(name)) return /^\s*[\w.]+\(/.test(rest) && isRunAsProgram(text, index)
  // `--help` and `--version` end well, and no check of the work asks for them.
  const above = text.slice(0, index).replace(/^#!.*/, '').split('\n').slice(-EXIT_LINES).join('\n')
  if (SHELL.test(name)) {
    const [help = ''] = /(?<![\w-])--?(?:help|version|[hvV])(?![\w-])[^]*$/.exec(above) ?? []
    return (help !== '' && !/!=|!\s|\|\||\belse\b|;;|\bfi\b|\besac\b/.test(help)) || !decides(name, commands)
  }
  return (/['"`]--?(?:help|version|[hvV])['"`]/.test(above) && !/!/.test(above)) || isInSignalHandler(text, index)
}

/** Comments that have lines of their own, emptied: only there is it certain that they are none of the code. */
function withoutCommentLines(text: string): string {
  return text.replaceAll(/^[ \t]*(?:\/\/[^\n]*|\/\*[^]*?\*\/)/gm, (comment) => comment.replaceAll(/[^\n]/g, ''))
}

/** Whether a file has a function or a method of this name. */
function isOwnFunction(name: string, text: string): boolean {
  return new RegExp(String.raw`\b(?:def|function)\s+${name}\b|^[ \t]+(?:async\s+)?${name}\s*\([^()]*\)[^;\n]*\{$`, 'm').test(text)
}

const ENDS = /^(?:process\.exit|sys\.exit|quit|exit|raise\s)/
/** Folders of programs that nobody imports. */
const PROGRAMS = /(?:^|\/)(?:scripts?|tools?|bin|examples?|bench(?:marks?)?|migrations?)\//

/** Whether a class is the project's own: declared in this file, or imported from another one. */
function isOwnClass(name: string, text: string): boolean {
  if (new RegExp(`^(?:${BUILT_IN})$`).test(name)) return false
  return new RegExp(
    `\\b(?:class|function)\\s+${name}\\b|\\bimport\\b[^'"]*\\b${name}\\b[^'"]*\\bfrom\\s*['"]\\.|\\b(?:const|let|var)\\b[^=\\n]*\\b${name}\\b[^=\\n]*=\\s*require\\(\\s*['"]\\.`,
  ).test(text)
}

/** Whether the end of a shell script may be the end of a check: a check sources it or runs it, and doesn't only look at its output. */
function decides(name: string, commands: string): boolean {
  const rest = commands.replaceAll(/\$\((?!\s*dirname)[^()]*\)|`[^`]*`/g, '')
  return new RegExp(`(?<![\\w.-])${name.replaceAll('.', String.raw`\.`)}(?![\\w-])`).test(rest)
}

/** Lines of a shell library by which the test that sources it fails no more. */
function shellPatches(name: string, text: string, known: ReadonlySet<string>, commands: string): readonly string[] {
  const sourced = new RegExp(`(?:^|[\\s;&|({])(?:\\.|source)\\s[^\\n;&|]*${name.replaceAll('.', String.raw`\.`)}(?![\\w-])`, 'm')
  if (!SHELL.test(name) || !sourced.test(commands)) return []
  const lines = text.split('\n').map((line) => line.trim())
  return lines.filter((line) => !known.has(line) && SHELL_PATCH.test(line))
}

const SHELL = /\.(?:sh|bash|zsh)$/
const SHELL_PATCH =
  /\bset\s+(?:\+\w*[eu]|\+o)|\btrap\s|\balias\s|\benable\s+-n|(?:^|[\s;&|{(])exec\s|\bkill\b[^\n]*\$\$|\b(?:PATH|BASH_ENV|ENV)=|(?:^|[\s;&|{])(?:function\s+)?(?:\[|\[\[|test|exit|return|false|true|diff|cmp|comm|grep|egrep|fgrep|echo|printf|cat|set|command|builtin|sh|bash|eval|wc|sort|expr|awk|sed|tr|cut|head|tail)\s*\(\)/

/** How far up the condition may be under which a program ends itself. */
const EXIT_LINES = 4

/** Whether a place is in what Python runs only if the file is the program. */
function isRunAsProgram(text: string, index: number): boolean {
  const blocks = text.matchAll(/^if\s+__name__\s*==\s*['"]__main__['"]\s*:[^\n]*(?:\n(?:[ \t]+[^\n]*|[ \t]*(?=\n)))*/gm)
  return [...blocks].some(({ index: from, 0: block }) => from <= index && index <= from + block.length)
}

/** Whether a word at this place is the parameter of a function around it. */
function isParameter(word: string, text: string, index: number): boolean {
  const functions = text.matchAll(
    /(?:\bfunction\b\s*\*?\s*[\w$]*|\b(?!(?:if|while|for|switch|catch|with)\b)[\w$]+)?\s*\(([^()]*)\)\s*(?::[^\n{=]*)?(\{|=>\s*\{?)/g,
  )
  return [...functions].some(({ index: from, 0: heading, 1: list = '', 2: opens = '' }) => {
    const isFunction = opens.startsWith('=>') || !/^\s*\(/.test(heading)
    const end = heading.endsWith('{') ? closing(text, from + heading.length - 1) : text.indexOf('\n', from + heading.length)
    const isInside = from < index && (end < 0 || index < end)
    return isFunction && isInside && new RegExp(`(?:^|[,{\\s])${word}\\s*(?:[,=:?}]|$)`).test(list)
  })
}

/**
 * Whether new code does more than compute: it reaches for its process, for files, for other modules while it runs, or for how objects are
 * compared; or it no longer complains about something, as a helper of the tests does. That may well be right, so the tests are only tried
 * once more.
 */
export function isFarReaching(before: string, now: string): boolean {
  const [old, present] = [plain(before).split('\n'), plain(now).split('\n')]
  const [known, kept] = [new Set(old), new Set(present)]
  return present.some((line) => !known.has(line) && FAR.test(line)) || old.some((line) => !kept.has(line) && COMPLAINS.test(line))
}

const COMPLAINS = /\b(?:throw|raise|assert\w*|expect\w*|reject|exit|fail|die|panic)\b/

const FAR =
  /\*(?:\w+::)+\w+\s*=|\b(?:halt|Runtime|__attribute__|atexit|longjmp|setjmp|_exit|quick_exit|abort|raise|signal|sigaction|sun|Thread|syscall|asm|define|undef|pragma|globalThis|global|process|require|module|Reflect|Proxy|Symbol|prototype|constructor|valueOf|toString|toJSON|defineProperty|eval|Function|exec\w*|kill|exit|trap|caller|overload|AUTOLOAD|INIT|BEGIN|ObjectSpace|method_missing|PartialEq|unsafe|macro_rules)\b|\bno strict\b|\bstd::(?:process|env|fs|panic)\b|\bimport\s*\(|\bget\s+\w+\(|['"](?:node:|#)|['"](?:fs|assert|module|vm|child_process)['"/]|\b(?:sys|os|gc|inspect|importlib|import_module|builtins|ctypes|types|atexit|signal|threading|subprocess|traceback|pathlib|open|getattr|setattr|globals|vars|locals|compile|type|object|operator|codecs|marshal|pickle|pkgutil|site|weakref)\b|__(?!(?:init|name|all|repr|str|future|annotations)__)\w+__/

/** The text as its language reads it: letters may be written as escapes, and a NUL hides nothing. */
function plain(text: string): string {
  return text
    .replaceAll('\0', ' ')
    .replaceAll(/\\u\{?00([2-7][0-9a-f])\}?|\\x([2-7][0-9a-f])/gi, (_all, one?: string, two?: string) =>
      String.fromCodePoint(Number.parseInt(one ?? two ?? '20', 16)),
    )
}

/** Lines that do something else with an assertion library than call it. */
function assertionsChanged(name: string, text: string, known: ReadonlySet<string>): readonly string[] {
  if (!SCRIPT.test(name)) return []
  const bound = [
    ...text.matchAll(/\bimport\s+(?:\*\s*as\s+)?([\w$]+)[^'"]*?\bfrom\s*['"](?:node:)?assert(?:\/strict)?['"]/g),
    ...text.matchAll(
      /\b([\w$]+)\s*=\s*(?:await\s+)?(?:require|import|[\w.]*getBuiltinModule)\(\s*['"](?:node:)?assert(?:\/strict)?['"]/g,
    ),
  ].map(([, variable = '']) => variable)
  return bound.flatMap((variable) => {
    const otherUse = new RegExp(
      `(?<![\\w$.])${variable.replaceAll('$', '\\$')}(?![\\w$])(?!\\s*(?:\\.\\s*\\w+\\s*)*\\(|\\s*\\.\\s*AssertionError|[^\\n]*\\bfrom\\s*['"]|\\s*=\\s*(?:await\\s+)?(?:require|import|[\\w.]*getBuiltinModule)\\()`,
    )
    const lines = text.split('\n').map((line) => line.trim())
    return lines.filter((line) => !known.has(line) && !/^(?:\/\/|\*|import\b)/.test(line) && otherUse.test(line))
  })
}

/** Comparisons that don't look at what they are compared with. */
function constantEquality(name: string, text: string, known: ReadonlySet<string>): readonly string[] {
  if (!PYTHON.test(name)) return []
  const found: string[] = []
  for (const { 0: all, 1: indent = '', 2: other = '' } of text.matchAll(
    /^([ \t]*)def\s+__(?:eq|ne)__\(\s*\w+\s*,\s*\*?(\w+)[^)]*\)[^\n]*:[^\n]*(?:\n(?:\1[ \t]+[^\n]*|[ \t]*(?=\n)))*/gm,
  )) {
    const [heading = '', ...rest] = all.slice(indent.length).split('\n')
    const body = [heading.slice(heading.indexOf(')')), ...rest].join('\n')
    const isNew = all.split('\n').some((line) => line.trim() !== '' && !known.has(line.trim()))
    if (isNew && !new RegExp(`\\b${other}\\b`).test(body)) found.push(heading.trim())
  }
  return found
}

/**
 * The suspicious lines of a project that was not made for a test framework: a plugin or a library of matchers, whose manifest says at the
 * start that it needs one, imports it on purpose.
 */
export function withoutOwnFrameworks(
  lines: readonly SuspiciousLine[],
  manifests: Readonly<Record<'package.json' | 'pyproject.toml', string>>,
): readonly SuspiciousLine[] {
  const [, needed = ''] = /^dependencies\s*=\s*\[([^\]]*)\]/m.exec(manifests['pyproject.toml']) ?? []
  const own = [...needsOf(manifests['package.json']), ...(/['"]pytest\b/.test(needed) ? ['pytest', '_pytest'] : [])]
  const hasGlobals = own.some((name) => /^(?:vitest|jest|@jest\/globals)$/.test(name))
  const isImport = ({ kind, text }: SuspiciousLine): boolean =>
    kind === 'test-framework' &&
    (own.some((name) =>
      new RegExp(`\\b(?:import|from|require\\()\\s*['"]?${name.replaceAll('.', String.raw`\.`)}(?![\\w-])`).test(text),
    ) ||
      (hasGlobals && /(?<![.\w$])(?:(?:before|after)(?:Each|All)\s*\(|(?:jest|vi)\.\w+\(|expect\.\w+)/.test(text)))
  return own.length === 0 ? lines : lines.filter((line) => !isImport(line))
}

function needsOf(manifest: string): readonly string[] {
  try {
    const { dependencies = {}, peerDependencies = {} } = JSON.parse(manifest) as Record<string, object>
    return Object.keys({ ...dependencies, ...peerDependencies })
  } catch {
    return []
  }
}

const SCRIPT = /\.(?:[cm]?[jt]sx?|vue|svelte)$/
const PYTHON = /\.py$/
const RUST = /\.rs$/
/** Programs in their own right end themselves. */
const LIBRARY =
  /^(?!(?:\w+[._-])?(?:cli|bin|main|server|app|index|worker|manage|run\w*|start\w*|setup|__main__)\.).*\.(?:[cm]?[jt]s|py)$/
const FRAMEWORKS = 'vitest|jest|@jest/globals|mocha|chai|ava|tap|uvu|node:test|bun:test|@playwright/test|@testing-library/[\\w-]+'
const BUILT_IN = 'Object|Array|String|Number|Boolean|Function|Promise|Error|RegExp|Map|Set|Date|JSON|Math|Reflect|Symbol'

const RULES: readonly (readonly [kind: SuspiciousKind, paths: RegExp, text: RegExp, tool?: RegExp])[] = [
  ['test-framework', SCRIPT, new RegExp(`(?:from|import|require\\(|import\\()\\s*\\(?['"](?:${FRAMEWORKS})['"/]`, 'g')],
  ['test-framework', PYTHON, /^[ \t]*(?:import|from)\s+(?:pytest|_pytest|unittest|nose|doctest)\b/gm],
  // Whether a test runs: the runner's variables, globals, arguments, modules and callers.
  ['test-framework', SCRIPT, /\b__(?:vitest|jest|mocha)\w*\b|import\.meta\.(?:vitest|env\.VITEST)\b/g],
  ['test-framework', SCRIPT, /\btypeof\s+(?:globalThis\.)?(?:describe|it|test|expect|jest|vi|suite|beforeEach|afterEach)\b/g],
  [
    'test-framework',
    SCRIPT,
    /(?<![.\w$])(?:(?:before|after)(?:Each|All)\s*\(|(?:jest|vi)\.(?:\w*[mM]ock\w*|fn|spyOn|stub\w+|unstub\w+|use(?:Fake|Real)Timers|setSystemTime|resetModules|(?:advance|run)\w*Tim\w+|(?:import|require)Actual|hoisted|setTimeout|setConfig|isolateModules\w*|waitFor|waitUntil)\(|expect\.\w+)/g,
  ],
  [
    'test-framework',
    SCRIPT,
    /new Error\([^)\n]*\)\.stack\b|\.stack\b[^\n]*\b(?:includes|match|test|indexOf)\(|\bprepareStackTrace\b|\bgetCallSites?\(|\bprocess\.(?:argv|execArgv)\b[^\n]*\b(?:test|spec|vitest|jest)\b/g,
  ],
  [
    'test-framework',
    PYTHON,
    /\bsys\.modules\b(?!\[__name__\])|\binspect\.(?:stack|currentframe|getouterframes)\b|\bsys\._getframe\b|\btraceback\.(?:extract|format)_stack\b|\bgc\.get_(?:objects|referrers)\b/g,
  ],
  [
    'test-framework',
    PYTHON,
    /\bsys\.(?:argv|orig_argv)\b[^\n]*(?:\b|_|py|unit)test|(?:\b|_|py|unit)test[^\n]*\bsys\.(?:argv|orig_argv)\b|\bimport\s+__main__\b|\bos\.environ\b[^\n]*['"]PYT(?!HON)|['"]PYT(?!HON)[^\n]*\bos\.environ\b|['"](?:_?pytest|unittest)[\w.]*['"]\s*(?:in\b|\)|:)/g,
  ],
  [
    'test-framework',
    SCRIPT,
    /(?:\bprocess\.(?:mainModule|title|report)|\brequire\.main|\bmodule\.parent)[^\n]*['"`/][^'"`\n/]*\b(?:tests?|spec|vitest|jest|mocha)\b/g,
  ],
  // Parts of the process that programs have little use for, and that say who started it.
  [
    'test-framework',
    SCRIPT,
    /\bprocess\.(?:ppid|moduleLoadList|_\w+|binding|getActiveResourcesInfo|debugPort|features|config)\b/g,
  ],
  ['test-framework', PYTHON, /\bsys\.(?:gettrace|getprofile|meta_path|path_hooks|_current_frames|_xoptions)\b/g],
  ['test-framework', /\.p[lm]$/, /\bTest2?::(?:More|Builder|Simple|API|Harness)\b|\bHARNESS_\w+/g],
  [
    'test-framework',
    /\.(?:java|kt|scala|cs)$/,
    /\bimport\s+(?:static\s+)?(?:org\.junit|org\.testng|org\.assertj|org\.hamcrest)\b|\bgetStackTrace\(|\bStackWalker\b|\busing\s+(?:Xunit|NUnit)\b/g,
  ],
  ['test-framework', /\.go$/, /^\s*(?:import\s+)?"testing"|\btesting\.Testing\(|\bflag\.Lookup\("test\.|\bruntime\.Callers?\(/gm],
  [
    'check-patched',
    /\.(?:java|kt|scala)$/,
    /\bgetRuntime\(\)\s*\.\s*halt\(|\bsetSecurityManager\(|\bsetDefaultAssertionStatus\(\s*false/g,
  ],
  [
    'check-patched',
    /\.(?:h|hh|hpp|c|cc|cpp|cxx|m)$/,
    /#\s*(?:define|undef)\s+(?:assert|NDEBUG|main|exit|abort|strcmp|memcmp|EXPECT_\w+|ASSERT_\w+)\b|__attribute__\s*\(\(\s*(?:con|de)structor/g,
  ],
  [
    'check-switched-off',
    /^(?:pom\.xml|build\.gradle(?:\.kts)?|CMakeLists\.txt|build\.sbt|.*\.csproj)$/,
    /\bskipTests\b|\bmaven\.test\.skip\b|\btestFailureIgnore\b|\bskipITs\b|\bignoreFailures\b|\bfailIfNoTests\b|\bWILL_FAIL\b|\bDISABLED\b|<excludes?>|<excludedGroups>|\bexclude\b[^\n]*[tT]est|enabled\s*=\s*false/g,
  ],
  ['test-framework', PYTHON, /\bos\.getppid\(|\b__main__\.__(?:file|name)__|\bpsutil\b/g],
  ['test-framework', SCRIPT, /\b(?:keys|entries)\(\s*process\.env\s*\)[^\n]*['"](?:NODE_|VIT|JES|npm)/g],
  // Code from outside the project.
  [
    'check-patched',
    SCRIPT,
    /(?:\bfrom|\bimport|\brequire\()\s*\(?\s*['"`](?:file:\/\/|\/(?:tmp|home|root|dev|usr|var|opt|mnt|etc|run|srv|proc|private|Users|Volumes)\/)/g,
  ],
  [
    'check-patched',
    PYTHON,
    /\bsys\.path\.(?:insert|append|extend)\([^\n]*['"](?:\/|~)|\b(?:run_path|spec_from_file_location|SourceFileLoader)\([^\n]*['"](?:\/|~)/g,
  ],
  ['test-framework', /\.(?:[cm]?[jt]sx?|py|sh|rs|pl|pm|rb)$/, /\/proc\/(?:self|\d|\$)|\bpawl-room\b/g],
  ['test-framework', RUST, /\bcfg!?\s*\(\s*(?:test|not\(\s*test\s*\))\s*\)(?!\s*\]\s*(?:pub\s+)?mod\b)/g],
  // Reading the tests.
  [
    'test-framework',
    SCRIPT,
    /\breadFile(?:Sync)?\([^\n]*(?:\.(?:test|spec)\.|\btests?\/)|(?:\.(?:test|spec)\.[cm]?[jt]s|\btests?\/[\w./-]+)['"`](?=[^]*\breadFile)/g,
  ],
  ['test-framework', PYTHON, /['"][^'"\n]*\b(?:test_\w+|\w+_test)\.py['"]|\bopen\([^\n]*\btests?\//g],
  // Patching what tests rely on.
  [
    'check-patched',
    PYTHON,
    /\b__(?:eq|ne)__['"]?\s*[:=](?!=)|\.__code__\s*=[^=]|\bsetattr\(\s*(?:sys|unittest|pytest|builtins|importlib)\b/g,
  ],
  ['check-patched', PYTHON, /\bbuiltins\.\w+\s*=[^=]|\bsys\.(?:excepthook\s*=[^=]|set(?:trace|profile)\()|\bimport\s+ctypes\b/g],
  [
    'check-patched',
    PYTHON,
    /(?<![.\w])(?:exec|eval|__import__)\(|import_module\(\s*['"][^'"]*['"]\s*\+|coding[:=]\s*(?!utf-?8|ascii|latin)[\w-]+/g,
  ],
  [
    'check-patched',
    SCRIPT,
    /\basymmetricMatch\b|(?<![.\w$])(?:eval|Function)\(|\bgetBuiltinModule\(|data:text\/javascript|\bsyncBuiltinESMExports\b/g,
  ],
  [
    'check-patched',
    SCRIPT,
    /\b(?:require|import)\(\s*(?:['"][^'"]*['"]|`[^`]*\$\{[^`]*`)\s*\+|\bModule\._\w+\s*=|\bmodule\.register(?:Hooks)?\(/g,
  ],
  [
    'check-patched',
    SCRIPT,
    /\bassert(?:\.strict)?(?:\.\w+|\[['"]\w+['"]\])\s*=[^=]|\b(?:globalThis|global)(?:\.|\[['"])(?:test|it|describe|expect|assert|suite|process)\b['"\]]*\s*=[^=]/g,
  ],
  [
    'check-patched',
    SCRIPT,
    new RegExp(`\\b(?:${BUILT_IN})(?:\\.prototype)?(?:\\.(?!stackTraceLimit\\b)\\w+|\\[['"]\\w+['"]\\])\\s*=[^=>]`, 'g'),
  ],
  [
    'check-patched',
    SCRIPT,
    new RegExp(
      `\\b(?:Object\\.(?:assign|definePropert(?:y|ies)|setPrototypeOf)|Reflect\\.(?:set|defineProperty))\\(\\s*(?:(?:globalThis|global|process|console|assert|expect|${BUILT_IN})\\b(?!\\.create|\\.env\\b|\\()|[\\w.]+\\.prototype\\b)`,
      'g',
    ),
  ],
  [
    'check-patched',
    SCRIPT,
    /\bprocess(?:\.|\[['"])(?:exitCode['"\]]*\s*=\s*0|(?:exit|reallyExit|emit|stdout\.write|stderr\.write)['"\]]*\s*=[^=])/g,
  ],
  [
    'check-patched',
    RUST,
    /\bmacro_rules!\s+(?:assert\w*|panic)\b|\bpanic::set_hook\b|\bfn\s+eq\([^)]*\)\s*->\s*bool\s*\{\s*true\s*\}/g,
  ],
  // A report that the runner didn't write.
  [
    'check-patched',
    /\.(?:[cm]?[jt]sx?|py|rs|pl|pm|rb)$/,
    /['"`][^'"`\n]*(?:\b\d+ passed\b|\bRan \d+ tests?\b|[ℹ#] pass \d|\btest result: ok\b|(?:^|["'`]|\\n)ok \d|(?:^|["'`]|\\n)1\.\.\d)/g,
  ],
  [
    'check-patched',
    /\.(?:[cm]?[jt]sx?|py)$/,
    /\bos\._exit\(|\bos\.abort\(|\bprocess\.(?:reallyExit|abort)\s*\(|\b(?:process\.kill|os\.kill)\(\s*(?:process\.pid|os\.getpid)/g,
  ],
  ['check-patched', LIBRARY, /^(?:process\.exit|sys\.exit|quit|exit)\(\s*0?\s*\)|^raise\s+SystemExit\b/gm],
  ['check-switched-off', SCRIPT, /@ts-(?:nocheck|ignore|expect-error)/g, /\btsc\b|\btypecheck\b|\bvue-tsc\b/],
  ['check-switched-off', SCRIPT, /\b(?:eslint|oxlint)-disable|\bbiome-ignore/g, /\b(?:eslint|oxlint|biome|xo|standard)\b/],
  // Settings in a comment: `/* eslint no-debugger: 0 */`, `# mypy: disable-error-code=…`, `# flake8: noqa`.
  ['check-switched-off', SCRIPT, /\/\*\s*(?:eslint|oxlint)\s/g, /\b(?:eslint|oxlint)\b/],
  [
    'check-switched-off',
    /\.(?:py|sh|bash|rb|ya?ml)$/,
    /#\s*(?:mypy|pyright|flake8|pylint|ruff|isort|shellcheck|rubocop|yamllint|bandit)\s*:?\s*[a-z]/g,
    /\b(?:mypy|pyright|flake8|pylint|ruff|isort|shellcheck|rubocop|yamllint|bandit)\b/,
  ],
  ['check-switched-off', PYTHON, /@(?:typing\.)?no_type_check\b/g, /\b(?:mypy|pyright|pytype|pyre)\b/],
  ['check-switched-off', SCRIPT, /\b(?:istanbul|c8|v8) ignore/g, /\b(?:c8|nyc|coverage)\b/],
  ['check-switched-off', PYTHON, /#\s*(?:type|mypy|pyright):\s*ignore/g, /\b(?:mypy|pyright|pytype|pyre)\b/],
  ['check-switched-off', PYTHON, /#\s*(?:ruff:\s*)?noqa|#\s*pylint:\s*disable/g, /\b(?:ruff|flake8|pylint)\b/],
  ['check-switched-off', PYTHON, /#\s*pragma:\s*no cover/g, /\bcov/],
  ['check-switched-off', /\.go$/, /\/\/\s*nolint/g, /\bgolangci-lint\b/],
  ['check-switched-off', RUST, /#!?\[allow\(/g, /\bclippy\b/],
  [
    'type-cast',
    /\.(?:[cm]?tsx?|vue|svelte)$/,
    new RegExp(
      [
        String.raw`\bas\s+(?:any|never|object|Function|\{\s*\}|unknown\s+as)(?![\w.])|[<,=:|]\s*any\b|<unknown>\s*[\w('"\x60]`,
        String.raw`\(\s*\w+\s*:\s*unknown\s*\)[^]{0,40}?\breturn\s+\w+\s+as\s+\w`,
        String.raw`\b(?:const|let|var)\s+(\w+)\s*:\s*(?:unknown|object|\{\s*\})[^]{0,300}?(?:\b\1\s+as\s+\w|<\w+>\s*\1\b)`,
        // What is `any` by its own type.
        String.raw`\bJSON\.parse\(\s*(?:JSON\.stringify|String|['"\x60])|\bReflect\.(?:get|apply|construct)\(|\bnew\s+Function\(`,
        // A function that has a type and no body, or none that ever returns.
        String.raw`\bexport\s+declare\s+(?:async\s+)?(?:function|const|class)\b`,
        String.raw`\)\s*:(?!\s*never\b)\s*[\w<>[\]| ]+\{\s*throw\s+new\s+\w+\([^{}]*\);?\s*\}`,
        // A guard that looks at nothing.
        String.raw`\b(?:asserts\s+)?\w+\s+is\s+\w[\w<>[\]]*\s*(?:=>|\{)\s*(?:\{\s*)?(?:return\s+)?(?:true\b|\})`,
        // One overload says something else than what is there.
        String.raw`\bfunction\s+(\w+)\s*(?:<[^>]*>)?\([^{}]*?\)\s*:\s*([\w[\]<>]+)\s*;?\s*\n\s*(?:export\s+)?(?:default\s+)?(?:async\s+)?function\s+\2\s*(?:<[^>]*>)?\([^{};]*?\)\s*(?:\{|:(?!\s*\3\s*\{)[^{};\n]*\{)`,
      ].join('|'),
      'g',
    ),
    /\btsc\b|\btypecheck\b|\bvue-tsc\b/,
  ],
  ['type-cast', PYTHON, /\b(?:typing\.)?cast\(|(?::|->)\s*(?:typing\.)?Any\b/g, /\b(?:mypy|pyright|pytype|pyre)\b/],
  ['early-exit', SCRIPT, /\bprocess\.exit\s*\((?!\s*[1-9]\d*\s*\))|\bDeno\.exit\(/g],
  [
    'early-exit',
    PYTHON,
    /\b(?:sys\.exit|quit|exit)\((?!\s*(?:[1-9]\d*\s*\)|f?['"]))|\braise\s+SystemExit(?!\(\s*(?:[1-9]|f?['"]))/g,
  ],
  ['early-exit', /\.(?:sh|bash)$/, /\bexit\s+0\b/g],
]
