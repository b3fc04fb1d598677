/** How the tests of a language are written. All patterns look at one line. */
export interface TestLanguage {
  /** The heading of a test case; the first group that is there is its title. */
  readonly cases: readonly RegExp[]
  /** A line that must stand above the heading for it to be a test. */
  readonly attribute?: RegExp
  /** The heading of a group of tests. */
  readonly suite: RegExp
  /** What switches a test off: on its heading, on a line above it, or on a line within it. */
  readonly skip: { readonly heading?: RegExp; readonly above?: RegExp; readonly within?: RegExp }
  /** What switches all other tests off. */
  readonly focus?: RegExp
  /** Any function: where one begins that is no test, the test before it has ended. */
  readonly routine: RegExp
  readonly comment: RegExp
}

/** The language of a path, where its tests can be read. */
export function testLanguage(path: string): TestLanguage | undefined {
  const extension = path.slice(path.lastIndexOf('.') + 1).toLowerCase()
  return LANGUAGES.find(([extensions]) => extensions.includes(extension))?.[1]
}

const SLASHES = /^\s*(?:\/\/|\/\*|\*)/
const HASH = /^\s*#/

const SCRIPT_WORDS = '(?:it|test|specify|Deno\\.test|xit|xtest|fit|ftest)'
const SUITE_WORDS = '(?:describe|suite|context|xdescribe|fdescribe|xcontext|fcontext)'
const MODIFIERS = '(?:\\.\\w+(?:\\((?:[^()]|\\([^()]*\\))*\\))?)*'
const QUOTED = '(?:\'((?:[^\'\\\\]|\\\\.)*)\'|"((?:[^"\\\\]|\\\\.)*)"|`((?:[^`\\\\]|\\\\.)*)`)'

const script: TestLanguage = {
  cases: [
    new RegExp(`^\\s*(?:await\\s+|void\\s+)?(?:t\\.test|${SCRIPT_WORDS})${MODIFIERS}\\(\\s*${QUOTED}`),
    // The last line of a table of cases: `])('adds %i', …`.
    new RegExp(`^\\s*[\\]\`](?:\\s*as const)?,?\\s*\\)\\(\\s*${QUOTED}`),
  ],
  suite: new RegExp(`^\\s*(?:test\\.)?${SUITE_WORDS}${MODIFIERS}\\(`),
  skip: {
    heading: new RegExp(
      `^\\s*(?:await\\s+|void\\s+)?(?:x(?:it|test|describe|context)\\b|(?:test\\.)?(?:${SCRIPT_WORDS}|${SUITE_WORDS}|t\\.test)(?:\\.\\w+)*\\.(?:skip|skipIf|runIf|todo|fixme|ignore|fails|failing)\\b|(?:${SCRIPT_WORDS})\\(.*\\{[^}]*\\b(?:skip|todo|ignore):\\s*(?:true|['"\`]))`,
    ),
    within: /^\s*(?:(?:test|it|t|this|ctx|context)\.(?:skip|fixme|todo)\(|(?:return\s+)?pending\()/,
  },
  focus: new RegExp(
    `^\\s*(?:await\\s+|void\\s+)?(?:f(?:it|test|describe|context)\\(|(?:test\\.)?(?:${SCRIPT_WORDS}|${SUITE_WORDS})(?:\\.\\w+)*\\.only\\b)`,
  ),
  routine:
    /^\s*(?:export\s+)?(?:async\s+)?(?:function\b|class\b|(?:const|let)\s+\w+\s*=\s*(?:async\s*)?(?:function\b|\([^()]*\)\s*(?::[^=]*)?=>|\w+\s*=>))/,
  comment: SLASHES,
}

const python: TestLanguage = {
  cases: [/^\s*(?:async\s+)?def\s+(test\w*)\s*\(/],
  suite: /^\s*class\s+(?:Test\w*|\w+Tests?|\w+TestCase)\b/,
  skip: {
    above: /^\s*@(?:pytest\.mark\.(?:skip|skipif|xfail)|(?:unittest\.)?(?:skip|skipIf|skipUnless|expectedFailure))\b/,
    within:
      /^\s*(?:(?:return\s+)?self\.skipTest\(|(?:\w+\s*=\s*)?pytest\.(?:skip|xfail|importorskip)\(|raise\s+(?:unittest\.)?SkipTest|pytestmark\s*=.*\b(?:skip|xfail))/,
  },
  routine: /^\s*(?:async\s+)?(?:def|class)\s/,
  comment: HASH,
}

const go: TestLanguage = {
  cases: [/^func\s+((?:Test|Fuzz|Example)\w*)\s*\(/, /^\s*t\.Run\(\s*"([^"]*)"/, /^\s*(?:[FXP]?(?:It|Specify))\(\s*"([^"]*)"/],
  suite: /^\s*[FXP]?(?:Describe|Context|When)\(/,
  skip: { heading: /^\s*[XP](?:It|Specify|Describe|Context|When)\(/, within: /^\s*(?:\w+\.Skip(?:f|Now)?|Skip)\(/ },
  focus: /^\s*F(?:It|Specify|Describe|Context|When)\(/,
  routine: /^func\b/,
  comment: SLASHES,
}

const rust: TestLanguage = {
  cases: [/^\s*(?:pub\s+)?(?:async\s+)?fn\s+(\w+)/],
  attribute: /^\s*#\[(?:\w+::)*(?:test|rstest|test_case|proptest)\b/,
  suite: /^\s*(?:pub\s+)?mod\s/,
  skip: { above: /^\s*#\[(?:ignore\b|cfg_attr\(.*\bignore\b)/ },
  routine: /^\s*(?:pub(?:\([^)]*\))?\s+)?(?:async\s+)?(?:fn|impl|struct|enum|trait)\b/,
  comment: SLASHES,
}

const ruby: TestLanguage = {
  cases: [/^\s*[xf]?(?:it|specify|scenario|example|test|should)\b\s*\(?\s*(?:'([^']*)'|"([^"]*)")/, /^\s*def\s+(test_\w+)/],
  suite: /^\s*(?:RSpec\.)?[xf]?(?:describe|context|feature)\b/,
  skip: {
    heading:
      /^\s*(?:RSpec\.)?(?:x(?:it|specify|scenario|example|describe|context|feature)\b|[a-z]+\b.*[,(]\s*(?:skip:|pending:|:skip\b|:pending\b))/,
    within: /^\s*(?:skip|pending)(?:[\s(]|$)/,
  },
  focus:
    /^\s*(?:RSpec\.)?(?:f(?:it|specify|scenario|example|describe|context|feature)\b|(?:it|describe|context)\b.*[,(]\s*(?:focus:\s*true|:focus\b))/,
  routine: /^\s*def\s/,
  comment: HASH,
}

const java: TestLanguage = {
  cases: [
    /^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|private|protected|internal|open|suspend|final|static)\s+)*(?:fun|void|def|func|\w+(?:<[^>]*>)?)\s+(?:`([^`]+)`|(\w+))\s*\(/,
  ],
  attribute: /^\s*@(?:\w+\.)*(?:Test|ParameterizedTest|RepeatedTest|TestFactory|Property)\b/,
  suite: /^\s*(?:@\w+\s+)*(?:(?:public|final|abstract|internal|open)\s+)*(?:class|object)\s/,
  skip: { above: /^\s*@(?:Disabled|Ignore)\w*/, within: /^\s*(?:Assumptions?\.)?assumeTrue\(\s*false/ },
  routine: /^\s*(?:(?:public|private|protected|internal|static|final)\s+)+[\w<>[\], ]+\(|^\s*fun\s/,
  comment: SLASHES,
}

const sharp: TestLanguage = {
  cases: [
    /^\s*(?:\[[^\]]*\]\s*)*(?:(?:public|private|protected|internal|static|async|virtual|override)\s+)+[\w<>]+\s+(\w+)\s*\(/,
  ],
  attribute: /^\s*\[(?:Fact|Theory|Test|TestMethod|TestCase|DataTestMethod|Property)\b/,
  suite: /^\s*(?:(?:public|internal|sealed|abstract|static)\s+)*class\s/,
  skip: {
    above: /^\s*\[(?:Ignore|Explicit)\b|^\s*\[(?:Fact|Theory)\([^)]*\bSkip\s*=/,
    within: /^\s*(?:Assert\.(?:Ignore|Inconclusive)|Skip\.If)\(/,
  },
  routine: /^\s*(?:(?:public|private|protected|internal|static|async)\s+)+[\w<>[\], ]+\(/,
  comment: SLASHES,
}

const php: TestLanguage = {
  cases: [/^\s*(?:public\s+)?function\s+(test\w*)\s*\(/, new RegExp(`^\\s*(?:it|test)\\(\\s*${QUOTED}`)],
  suite: /^\s*(?:final\s+)?class\s|^\s*describe\(/,
  skip: {
    heading: /^\s*(?:it|test|describe)\(.*->(?:skip|todo)\(/,
    within: /^\s*(?:\$this->|self::)markTest(?:Skipped|Incomplete)\(|^\s*\}\)->(?:skip|todo)\(/,
  },
  focus: /->only\(\)/,
  routine: /^\s*(?:(?:public|private|protected|static)\s+)*function\b/,
  comment: /^\s*(?:\/\/|\/\*|\*|#(?!\[))/,
}

const perl: TestLanguage = {
  cases: [/^\s*subtest\s*\(?\s*(?:'([^']*)'|"([^"]*)")/],
  suite: /^package\s/,
  skip: { within: /^\s*(?:plan\s*\(?\s*['"]?skip_all|skip\s*[("']|todo_skip\b|local\s+\$TODO)/ },
  routine: /^\s*sub\s/,
  comment: HASH,
}

const elixir: TestLanguage = {
  cases: [/^\s*(?:test|property)\s+"([^"]*)"/],
  suite: /^\s*(?:describe\s+"|defmodule\s)/,
  skip: { above: /^\s*@(?:module)?tag\s+:?skip\b/ },
  focus: /^\s*@tag\s+:(?:focus|only)\b/,
  routine: /^\s*defp?\s/,
  comment: HASH,
}

const shell: TestLanguage = {
  cases: [/^\s*@test\s+(?:'([^']*)'|"([^"]*)")/],
  suite: /^$(?!)/,
  skip: { within: /^\s*skip(?:\s|$)/ },
  routine: /^\s*\w+\s*\(\)\s*\{/,
  comment: HASH,
}

const swift: TestLanguage = {
  cases: [/^\s*(?:@Test(?:\([^)]*\))?\s+)?func\s+(test\w*)\s*\(/],
  suite: /^\s*(?:final\s+)?class\s/,
  skip: { within: /^\s*(?:try\s+)?(?:XCTSkip|throw\s+XCTSkip)/ },
  routine: /^\s*(?:(?:private|public|static|override)\s+)*func\b/,
  comment: SLASHES,
}

const native: TestLanguage = {
  cases: [/^\s*(?:TEST|TEST_F|TEST_P|TYPED_TEST)\(\s*([^)]+)\)/, /^\s*(?:TEST_CASE|SCENARIO)\(\s*"([^"]*)"/],
  suite: /^\s*(?:namespace|class|struct)\s/,
  skip: { heading: /^\s*TEST(?:_F|_P)?\([^)]*\bDISABLED_/, within: /^\s*(?:GTEST_SKIP|SKIP)\(/ },
  routine: /^[\w:<>*&]+\s+[\w:]+\s*\([^;]*\)\s*\{?$/,
  comment: SLASHES,
}

const LANGUAGES: readonly (readonly [extensions: readonly string[], language: TestLanguage])[] = [
  [['js', 'jsx', 'ts', 'tsx', 'mjs', 'cjs', 'mts', 'cts', 'vue', 'svelte', 'coffee', 'dart'], script],
  [['py'], python],
  [['go'], go],
  [['rs'], rust],
  [['rb'], ruby],
  [['java', 'kt', 'kts', 'groovy', 'scala'], java],
  [['cs', 'fs'], sharp],
  [['php'], php],
  [['t'], perl],
  [['ex', 'exs'], elixir],
  [['bats', 'sh'], shell],
  [['swift'], swift],
  [['cc', 'cpp', 'cxx'], native],
]
