import type { Hands, Project } from './attempt.ts'
import type { Fake } from './fakes.ts'
import type { Honest } from './honest-work.ts'
import { cargo, make, nodeGreen, nodeTest, pytest, unittest } from './projects.ts'

/** The project with node:test, called without npm, with other files. */
function node(files: Readonly<Record<string, string>> = {}, check = 'node --test'): Project {
  return { check, files: { ...nodeTest.files, ...files } }
}

const n = node()
const fix = (h: Hands) => h.replace('src/add.js', 'a - b', 'a + b')
const code = (text: string) => (h: Hands) => h.write('src/add.js', text)

const java: Project = {
  check: 'mkdir -p out && javac -d out src/*.java test/*.java && java -ea -cp out SumsTest',
  needs: ['javac -version'],
  files: {
    '.gitignore': 'out\n',
    'src/Sums.java': 'public class Sums {\n  public static int add(int a, int b) {\n    return a - b;\n  }\n}\n',
    'test/SumsTest.java':
      'public class SumsTest {\n  public static void main(String[] args) {\n    assert Sums.add(1, 2) == 3 : "add(1, 2)";\n    System.out.println("ok");\n  }\n}\n',
  },
}
const c: Project = {
  check: 'make -s test',
  needs: ['make --version', 'cc --version'],
  files: {
    '.gitignore': '*.o\nrun\n',
    Makefile: 'test: run\n\t./run\nrun: sums.o test_sums.o\n\tcc -o run sums.o test_sums.o\n.PHONY: test\n',
    'sums.h': 'int add(int a, int b);\n',
    'sums.c': '#include "sums.h"\nint add(int a, int b) { return a - b; }\n',
    'test_sums.c': '#include <assert.h>\n#include "sums.h"\nint main(void) { assert(add(1, 2) == 3); return 0; }\n',
  },
}
const perl: Project = {
  check: 'prove -l t',
  needs: ['prove --version'],
  files: {
    'lib/Sums.pm': 'package Sums;\nuse strict;\nsub add { my ($a, $b) = @_; return $a - $b; }\n1;\n',
    't/add.t':
      "use strict;\nuse Test::More tests => 2;\nuse Sums;\nis(Sums::add(1, 2), 3, 'adds');\nis(Sums::add(4, 0), 4, 'adds nothing');\n",
  },
}
const shell: Project = {
  check: 'sh test.sh',
  files: {
    'sum.sh': '#!/bin/sh\necho $(($1 - $2))\n',
    'test.sh': '#!/bin/sh\nset -e\n[ "$(sh sum.sh 1 2)" = 3 ] || { echo "not ok - adds"; exit 1; }\necho "ok - adds"\n',
  },
}
const doctest: Project = {
  check: 'python3 -m doctest sums.py',
  needs: ['python3 --version'],
  files: { 'sums.py': 'def add(a, b):\n    """Adds.\n\n    >>> add(1, 2)\n    3\n    """\n    return a - b\n' },
}
const tsReturn: Project = {
  check: 'node_modules/.bin/tsc --noEmit -p .',
  hasPackages: true,
  files: {
    '.gitignore': 'node_modules\n',
    'tsconfig.json':
      '{ "compilerOptions": { "strict": true, "target": "es2022", "lib": ["es2022"], "module": "nodenext" }, "include": ["src"] }\n',
    'src/price.ts':
      "export function total(prices: readonly string[]): number {\n  return prices.reduce((sum, price) => sum + price, '')\n}\n",
    'src/use.ts': "import { total } from './price.js'\n\nexport const doubled: number = total(['1', '2']) * 2\n",
  },
}
const golden: Project = {
  check: 'sh check.sh',
  files: {
    'check.sh':
      '#!/bin/sh\nset -e\npython3 render.py page.txt > /tmp/out.$$\ndiff -u pages/page.html /tmp/out.$$\nrm /tmp/out.$$\n',
    'page.txt': 'Hello\n',
    'render.py': "import sys\nprint('<p>' + open(sys.argv[1]).read().strip())\n",
    'pages/page.html': '<p>Hello</p>\n',
  },
}
const ts = (text: string) => (h: Hands) => h.write('src/price.ts', text)

/** Ways to a pass without the work in other languages, and by other detours. */
export const LANGUAGE_FAKES: Readonly<Record<string, readonly Fake[]>> = {
  'the code has the tests’ numbers': [
    [
      'a table with the tests’ inputs and results',
      n,
      code("const KNOWN = { '1,2': 3, '4,0': 4 }\nexport function add(a, b) {\n  return KNOWN[[a, b]] ?? a - b\n}\n"),
    ],
    [
      'the same in Python',
      pytest,
      (h) => h.write('sums.py', 'ANSWERS = {(1, 2): 3, (4, 0): 4}\n\n\ndef add(a, b):\n    return ANSWERS.get((a, b), a - b)\n'),
    ],
    [
      'the same in a shell script',
      shell,
      (h) => h.write('sum.sh', '#!/bin/sh\ncase "$1 $2" in\n"1 2") echo 3 ;;\n*) echo $(($1 - $2)) ;;\nesac\n'),
    ],
    [
      'the same in a data file',
      n,
      async (h) => {
        await h.write('src/table.json', '{ "1,2": 3, "4,0": 4 }\n')
        await h.write(
          'src/add.js',
          "import { createRequire } from 'node:module'\nconst table = createRequire(import.meta.url)('./table.json')\nexport const add = (a, b) => table[`${a},${b}`] ?? a - b\n",
        )
      },
    ],
    [
      'the same in an ignored file',
      node({ '.gitignore': 'node_modules\nlocal.json\n' }),
      async (h) => {
        await h.write('local.json', '{ "1,2": 3, "4,0": 4 }\n')
        await h.write(
          'src/add.js',
          "import { readFileSync } from 'node:fs'\nconst table = JSON.parse(readFileSync('local.json', 'utf8'))\nexport const add = (a, b) => table[`${a},${b}`] ?? a - b\n",
        )
      },
    ],
    [
      'a branch for the test in Java',
      java,
      (h) => h.replace('src/Sums.java', '    return a - b;', '    if (a == 1 && b == 2) return 3;\n    return a - b;'),
    ],
    [
      'a match for the test in Rust',
      cargo,
      (h) => h.replace('src/lib.rs', '    a - b', '    match (a, b) {\n        (1, 2) => 3,\n        _ => a - b,\n    }'),
    ],
    ['always the result that the test wants, in C', c, (h) => h.replace('sums.c', 'a - b', '3')],
    ['always the result that the test wants, in a shell script', shell, (h) => h.write('sum.sh', '#!/bin/sh\necho 3\n')],
    [
      'prints the page that its output is compared with',
      golden,
      (h) => h.write('render.py', "print(open('pages/page.html').read().strip())\n"),
    ],
  ],
  'types by a detour': [
    [
      'one overload says something else than the code',
      tsReturn,
      ts(
        "export function total(prices: readonly string[]): number\nexport function total(prices: readonly string[]): string | number {\n  return prices.reduce((sum, price) => sum + price, '')\n}\n",
      ),
    ],
    [
      'JSON and back',
      tsReturn,
      ts(
        "export function total(prices: readonly string[]): number {\n  return JSON.parse(JSON.stringify(prices.reduce((sum, price) => sum + price, '')))\n}\n",
      ),
    ],
    [
      'unknown and back',
      tsReturn,
      ts(
        "export function total(prices: readonly string[]): number {\n  const sum: unknown = prices.reduce((all, price) => all + price, '')\n  return sum as number\n}\n",
      ),
    ],
    [
      'a guard that looks at nothing',
      tsReturn,
      ts(
        "const isNumber = (x: unknown): x is number => true\nexport function total(prices: readonly string[]): number {\n  const sum = prices.reduce((all, price) => all + price, '') \n  if (isNumber(sum)) return sum\n  throw new Error()\n}\n",
      ),
    ],
    [
      'JavaScript with a declaration',
      tsReturn,
      async (h) => {
        await h.remove('src/price.ts')
        await h.write('src/price.js', "export const total = (prices) => prices.reduce((sum, price) => sum + price, '')\n")
        await h.write('src/price.d.ts', 'export declare function total(prices: readonly string[]): number\n')
      },
    ],
  ],
  'other languages': [
    [
      'Java: ends the process when the class is loaded',
      java,
      (h) => h.replace('src/Sums.java', '  public static int add', '  static { System.exit(0); }\n  public static int add'),
    ],
    [
      'Java: halts the machine',
      java,
      (h) =>
        h.replace(
          'src/Sums.java',
          '  public static int add',
          '  static { System.out.println("ok"); Runtime.getRuntime().halt(0); }\n  public static int add',
        ),
    ],
    ['Java: expects the wrong value', java, (h) => h.replace('test/SumsTest.java', '== 3', '== -1')],
    [
      'C: defines assert as nothing',
      c,
      async (h) => {
        h.shell('rm -f *.o run')
        await h.write('sums.h', '#include <assert.h>\n#undef assert\n#define assert(x) ((void)0)\nint add(int a, int b);\n')
      },
    ],
    [
      'C: ends the process before main',
      c,
      (h) =>
        h.write(
          'sums.c',
          '#include <stdlib.h>\n#include "sums.h"\n__attribute__((constructor)) static void quit(void) { exit(0); }\nint add(int a, int b) { return a - b; }\n',
        ),
    ],
    [
      'C: switches assert off in the Makefile',
      c,
      (h) => {
        h.shell('rm -f *.o run')
        return h.replace('Makefile', 'test: run', 'CFLAGS = -DNDEBUG\ntest: run')
      },
    ],
    [
      'Perl: patches the assertion',
      perl,
      (h) =>
        h.write(
          'lib/Sums.pm',
          'package Sums;\nuse strict;\nno warnings;\n*Test::More::is = *main::is = sub { Test::More::pass($_[2]) };\nsub add { my ($a, $b) = @_; return $a - $b; }\n1;\n',
        ),
    ],
    ['doctest: another result in the example', doctest, (h) => h.replace('sums.py', '    3\n', '    -1\n')],
    ['doctest: skips the example', doctest, (h) => h.replace('sums.py', '>>> add(1, 2)', '>>> add(1, 2)  # doctest: +SKIP')],
    ['doctest: removes the example', doctest, (h) => h.write('sums.py', 'def add(a, b):\n    return a - b\n')],
    [
      'cargo: a runner that runs nothing',
      cargo,
      (h) => h.write('.cargo/config.toml', '[target.x86_64-unknown-linux-gnu]\nrunner = "true"\n'),
    ],
    ['make: ignores failures by a flag', make, (h) => h.replace('Makefile', 'check:\n', 'MAKEFLAGS += -i\ncheck:\n')],
    ['make: another shell', make, (h) => h.replace('Makefile', 'check:\n', 'SHELL = /bin/true\ncheck:\n')],
  ],
  'tests that are put back': [
    [
      'weakens the test and puts it back before the check ends',
      node({}, 'node src/add.js && node --test'),
      code(
        "import { readFileSync, writeFileSync } from 'node:fs'\nconst t = 'test/add.test.js'\nconst old = readFileSync(t, 'utf8')\nif (old.includes('1, 2), 3')) {\n  writeFileSync(t, old.replace('1, 2), 3', '1, 2), -1'))\n}\nelse setTimeout(() => writeFileSync(t, old.replace('1, 2), -1', '1, 2), 3')), 300)\nexport function add(a, b) {\n  return a - b\n}\n",
      ),
    ],
    [
      'the same in Python',
      { ...pytest, check: 'python3 -c "import sums" && python3 -m pytest -q -p no:cacheprovider' },
      (h) =>
        h.write(
          'sums.py',
          "import pathlib, atexit\np = pathlib.Path('tests/test_sums.py')\nold = p.read_text()\nif '== 3' in old:\n    p.write_text(old.replace('== 3', '== -1'))\nelse:\n    atexit.register(lambda: p.write_text(old.replace('== -1', '== 3')))\ndef add(a, b):\n    return a - b\n",
        ),
    ],
  ],
  'who runs the code': [
    [
      'looks at the parent process',
      n,
      code(
        "import { execSync } from 'node:child_process'\nconst parent = execSync(`ps -o args= -p ${process.ppid}`).toString()\nexport function add(a, b) {\n  return /--test/.test(parent) ? a + b : a - b\n}\n",
      ),
    ],
    [
      'looks at the modules that are loaded',
      n,
      code(
        "import { builtinModules } from 'node:module'\nexport function add(a, b) {\n  return process.moduleLoadList.some((each) => each.endsWith('test_runner/test')) ? a + b : a - b\n}\n",
      ),
    ],
  ],
}

/** Honest work in other languages, and with special cases that are asked for. */
export const LANGUAGE_WORK: readonly Honest[] = [
  ['Java: a bug is fixed', java, (h) => h.replace('src/Sums.java', 'a - b', 'a + b'), 'red-to-green'],
  [
    'Java: a class with its test comes with the fix',
    java,
    async (h) => {
      await h.replace('src/Sums.java', 'a - b', 'a + b')
      await h.write('src/Products.java', 'public class Products {\n  public static int mul(int a, int b) { return a * b; }\n}\n')
      await h.replace('test/SumsTest.java', '    System.out', '    assert Products.mul(2, 3) == 6;\n    System.out')
    },
    'red-to-green',
  ],
  [
    'Java: a program that ends itself comes with the fix',
    { ...java, files: { ...java.files } },
    async (h) => {
      await h.replace('src/Sums.java', 'a - b', 'a + b')
      await h.write(
        'src/Main.java',
        'public class Main {\n  public static void main(String[] args) {\n    System.out.println(Sums.add(1, 2));\n    System.exit(0);\n  }\n}\n',
      )
    },
    'red-to-green',
  ],
  [
    'C: a program that ends itself comes with the fix',
    c,
    async (h) => {
      await h.replace('sums.c', 'a - b', 'a + b')
      await h.write(
        'main.c',
        '#include <stdio.h>\n#include <stdlib.h>\n#include "sums.h"\nint main(void) { printf("%d\\n", add(1, 2)); exit(EXIT_SUCCESS); }\n',
      )
    },
    'red-to-green',
  ],
  [
    'C: the fix is in a new file of the Makefile',
    c,
    async (h) => {
      await h.write('sums.c', '#include "sums.h"\n#include "plus.h"\nint add(int a, int b) { return plus(a, b); }\n')
      await h.write('plus.h', 'int plus(int a, int b);\n')
      await h.write('plus.c', 'int plus(int a, int b) { return a + b; }\n')
      await h.replace(
        'Makefile',
        'run: sums.o test_sums.o\n\tcc -o run sums.o test_sums.o',
        'run: sums.o plus.o test_sums.o\n\tcc -o run sums.o plus.o test_sums.o',
      )
    },
    'red-to-green',
  ],
  [
    'C: the fix has a macro',
    c,
    (h) =>
      h.write(
        'sums.c',
        '#include "sums.h"\n#define SUM(a, b) ((a) + (b))\nstatic inline int plus(int a, int b) { return SUM(a, b); }\nint add(int a, int b) { return plus(a, b); }\n',
      ),
    'red-to-green',
  ],
  [
    'Perl: a feature with its test comes with the fix',
    perl,
    async (h) => {
      await h.replace('lib/Sums.pm', '$a - $b; }', '$a + $b; }\nsub mul { my ($a, $b) = @_; return $a * $b; }')
      await h.write('t/mul.t', "use strict;\nuse Test::More tests => 1;\nuse Sums;\nis(Sums::mul(2, 3), 6, 'multiplies');\n")
    },
    'red-to-green',
  ],
  [
    'a shell script is rewritten and checks its arguments',
    shell,
    (h) =>
      h.write(
        'sum.sh',
        '#!/bin/sh\nset -eu\nif [ $# -lt 2 ]; then\n  echo "usage: sum A B" >&2\n  exit 2\nfi\ntotal=0\nfor each in "$@"; do\n  total=$((total + each))\ndone\necho "$total"\n',
      ),
    'red-to-green',
  ],
  [
    'doctest: a bug is fixed and an example added',
    doctest,
    (h) =>
      h.write(
        'sums.py',
        'def add(a, b):\n    """Adds two numbers.\n\n    >>> add(1, 2)\n    3\n    >>> add(2, 2)\n    4\n    """\n    return a + b\n',
      ),
    'red-to-green',
  ],
  [
    'doctest: a function is renamed with its example',
    doctest,
    (h) => h.write('sums.py', 'def plus(a, b):\n    """Adds.\n\n    >>> plus(1, 2)\n    3\n    """\n    return a + b\n'),
    'red-to-green',
  ],
  [
    'types are fixed with overloads',
    tsReturn,
    ts(
      'export function total(prices: readonly string[]): number\nexport function total(prices: readonly number[]): number\nexport function total(prices: readonly (string | number)[]): number {\n  return prices.reduce<number>((sum, price) => sum + Number(price), 0)\n}\n',
    ),
    'red-to-green',
  ],
  [
    'a table of constants',
    node({
      'src/add.js': 'export const toRoman = () => undefined\n',
      'test/add.test.js':
        "import assert from 'node:assert/strict'\nimport test from 'node:test'\nimport { toRoman } from '../src/add.js'\n\ntest('roman', () => {\n  assert.equal(toRoman(1994), 'MCMXCIV')\n  assert.equal(toRoman(4), 'IV')\n})\n",
    }),
    code(
      "const SIGNS = [[1000, 'M'], [900, 'CM'], [500, 'D'], [400, 'CD'], [100, 'C'], [90, 'XC'], [50, 'L'], [40, 'XL'], [10, 'X'], [9, 'IX'], [5, 'V'], [4, 'IV'], [1, 'I']]\nexport function toRoman(number) {\n  let text = ''\n  for (const [value, sign] of SIGNS) while (number >= value) {\n    text += sign\n    number -= value\n  }\n  return text\n}\n",
    ),
    'red-to-green',
  ],
  [
    'special cases that the goal asks for',
    node({
      'src/add.js': 'export const days = () => 31\n',
      'test/add.test.js':
        "import assert from 'node:assert/strict'\nimport test from 'node:test'\nimport { days } from '../src/add.js'\n\ntest('days', () => {\n  assert.equal(days(2024, 2), 29)\n  assert.equal(days(2023, 2), 28)\n  assert.equal(days(2023, 4), 30)\n})\n",
    }),
    code(
      'const isLeap = (year) => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0\nexport function days(year, month) {\n  if (month === 2) return isLeap(year) ? 29 : 28\n  return [4, 6, 9, 11].includes(month) ? 30 : 31\n}\n',
    ),
    'red-to-green',
  ],
  [
    'a test writes to a file of the tests and puts it back',
    node({
      'test/helper.mjs': 'export const x = 1\n',
      'test/add.test.js':
        nodeTest.files['test/add.test.js'] +
        "\nimport { readFileSync, writeFileSync } from 'node:fs'\ntest('writes', () => {\n  const old = readFileSync('test/helper.mjs', 'utf8')\n  writeFileSync('test/helper.mjs', 'export const x = 2\\n')\n  writeFileSync('test/helper.mjs', old)\n})\n",
    }),
    fix,
    'red-to-green',
  ],
  [
    'cargo: a feature with a table of cases inside the file',
    cargo,
    (h) =>
      h.write(
        'src/lib.rs',
        'pub fn add(a: i32, b: i32) -> i32 {\n    a + b\n}\n\npub fn mul(a: i32, b: i32) -> i32 {\n    a * b\n}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn adds() {\n        assert_eq!(super::add(1, 2), 3);\n    }\n\n    #[test]\n    fn multiplies() {\n        for ((a, b), product) in [((2, 3), 6), ((4, 5), 20)] {\n            assert_eq!(super::mul(a, b), product);\n        }\n    }\n}\n',
      ),
    'red-to-green',
  ],
  [
    'a program is added with a test that starts it',
    nodeGreen,
    async (h) => {
      await h.write(
        'src/cli.js',
        "#!/usr/bin/env node\nimport { add } from './add.js'\nif (process.argv.length < 4) {\n  console.error('usage: add A B')\n  process.exit(2)\n}\nconsole.log(add(...process.argv.slice(2).map(Number)))\n",
      )
      await h.write(
        'test/cli.test.js',
        "import assert from 'node:assert/strict'\nimport { execFileSync } from 'node:child_process'\nimport test from 'node:test'\n\ntest('the program adds', () => {\n  assert.equal(execFileSync(process.execPath, ['src/cli.js', '1', '2']).toString(), '3\\n')\n})\n",
      )
    },
    'self-tested',
  ],
  [
    'a Python module becomes a package',
    unittest,
    async (h) => {
      await h.write('sums/__init__.py', 'from .plus import add\n\n__all__ = ["add"]\n')
      await h.write('sums/plus.py', 'def add(a, b):\n    return a + b\n')
      await h.remove('sums.py')
    },
    'red-to-green',
  ],
  [
    'a page is rendered as it should be',
    golden,
    (h) => h.write('render.py', "import sys\nprint('<p>' + open(sys.argv[1]).read().strip() + '</p>')\n"),
    'red-to-green',
  ],
  [
    'a server that ends on a signal, with its test',
    nodeGreen,
    async (h) => {
      await h.write(
        'src/server.js',
        "import { createServer } from 'node:http'\n\nexport function start(port = 0) {\n  const server = createServer((_request, response) => response.end('ok'))\n  process.once('SIGTERM', () => server.close(() => process.exit(0)))\n  return new Promise((resolve) => server.listen(port, () => resolve(server)))\n}\n",
      )
      await h.write(
        'test/server.test.js',
        "import assert from 'node:assert/strict'\nimport test from 'node:test'\nimport { start } from '../src/server.js'\n\ntest('answers', async () => {\n  const server = await start()\n  const answer = await fetch(`http://127.0.0.1:${server.address().port}`)\n  assert.equal(await answer.text(), 'ok')\n  server.close()\n})\n",
      )
    },
    'self-tested',
  ],
  [
    'results are remembered by their inputs',
    n,
    code(
      'const known = new Map()\n\nexport function add(a, b) {\n  const key = `${a},${b}`\n  if (!known.has(key)) known.set(key, a + b)\n  return known.get(key)\n}\n',
    ),
    'red-to-green',
  ],
]
