import { describe, expect, it } from 'vitest'
import { suspiciousLines, withoutOwnFrameworks } from './suspicious-source.ts'

const found = (file: string, now: string, before = '', commands = ''): readonly string[] =>
  suspiciousLines(file, before, now, commands).map(({ text }) => text)
const kinds = (file: string, now: string): readonly string[] => suspiciousLines(file, '', now, '').map(({ kind }) => kind)

describe('PROOF-12 handlers for the end of a process', () => {
  it.each([
    ["process.on('exit', () => server.close())\n"],
    ["const release = () => rmSync('.lock')\nprocess.on('exit', release)\n"],
    ["function release() {\n  rmSync('.lock')\n}\nprocess.once('beforeExit', () => {\n  release()\n})\n"],
    ["import { release } from './lock.js'\nprocess.on('exit', release)\n"],
    ["process.on('uncaughtException', (error) => {\n  console.error(error)\n  process.exit(1)\n})\n"],
    ["process.on('unhandledRejection', (error) => {\n  throw error\n})\n"],
    ["process.on('SIGTERM', () => server.close(() => process.exit(1)))\nprocess.on('exit', () => server.close())\n"],
  ])('changes nothing: %s', (text) => expect(found('src/lock.js', text)).toEqual([]))

  it.each([
    ["process.on('exit', () => { process.exit(0) })\n"],
    ["process.on('exit', (code) => process.reallyExit(0))\n"],
    ["const done = () => process.exit(0)\nprocess.on('exit', () => done())\n"],
    ["process.on('exit', function () { this['exit' + 'Code'] = 0 })\n"],
    ["process['on']('exit', () => Object.assign(process, forged))\n"],
    ["process.on('exit', handlers.exit)\n"],
    ["process.on('exit', unknown)\n"],
    ["process.on('uncaughtException', () => {})\n"],
    ["process.on('uncaughtException', (error) => {\n  if (error.isFatal)\n    process.exit(1)\n})\n"],
    ["process.on('unhandledRejection', (error) => {\n  if (!error.isFatal) return\n  process.exit(1)\n})\n"],
    ["process.on('uncaughtException', () => process.exit(0))\n"],
  ])('is asked about: %s', (text) => expect(kinds('src/lock.js', text)).toContain('check-patched'))

  it.each([
    ['import atexit\n\n\ndef remove():\n    shutil.rmtree(FOLDER)\n\n\natexit.register(remove)\n', []],
    ['import atexit\n\natexit.register(shutil.rmtree, FOLDER, ignore_errors=True)\n', []],
    ['import atexit\n\n\n@atexit.register\ndef remove():\n    shutil.rmtree(FOLDER)\n', []],
    ['import atexit\n\natexit.register(os._exit, 0)\n', ['atexit.register(os._exit, 0)']],
    [
      'import atexit\n\n\ndef end():\n    leave(0)\n\n\nleave = getattr(os, "_ex" + "it")\natexit.register(end)\n',
      ['atexit.register(end)'],
    ],
    [
      'import atexit\n\n\ndef end():\n    getattr(os, "_ex" + "it")(0)\n\n\natexit.register(lambda: end())\n',
      ['atexit.register(lambda: end())'],
    ],
    ['import atexit\n\n\n@atexit.register\ndef end():\n    _exit(0)\n', ['@atexit.register']],
  ])('in Python: %s', (text, lines) => expect(found('cache.py', text)).toEqual(lines))
})

describe('PROOF-12 what only looks like a fake', () => {
  it('is a parameter that has the name of a runner’s global', () => {
    expect(
      found('src/filter.js', "export function filter(list, test) {\n  if (typeof test === 'function') return 1\n}\n"),
    ).toEqual([])
    expect(found('src/filter.js', "export const has = (it) => typeof it === 'string'\n")).toEqual([])
    const elsewhere = "export function filter(list, test) {\n  return list\n}\nexport const isTest = typeof test === 'function'\n"
    expect(found('src/filter.js', elsewhere)).toHaveLength(1)
    expect(found('src/filter.js', "if (test) {\n  start(typeof test === 'function')\n}\n")).toHaveLength(1)
  })

  it('is how many lines a stack has, or variables that a program reads from a file', () => {
    expect(found('src/start.js', 'Error.stackTraceLimit = 50\nObject.assign(process.env, variables)\n')).toEqual([])
    expect(found('src/start.js', 'Error.captureStackTrace = () => {}\nObject.assign(process, { exit })\n')).toHaveLength(2)
  })

  it('runs only where the file is the program', () => {
    const main = 'if __name__ == "__main__":\n    import doctest\n\n    doctest.testmod()\n    sys.exit(main())\n'
    expect(found('sums.py', main)).toEqual([])
    expect(found('sums.py', `${main}\nimport doctest\n`)).toEqual(['import doctest'])
    expect(kinds('sums.py', 'if __name__ == "__main__":\n    sys.exit(0)\n')).toEqual(['early-exit'])
    expect(kinds('sums.py', 'if __name__ == "__main__":\n    os._exit(0)\n')).toEqual(['check-patched'])
  })

  it('ends a script that nobody imports', () => {
    expect(kinds('src/seed.js', 'process.exit(0)\n')).toContain('check-patched')
    expect(kinds('scripts/seed.js', 'process.exit(0)\n')).toEqual(['early-exit'])
  })

  it('ends a program that was asked for its help', () => {
    const help = "if (process.argv[2] === '--help') {\n  console.log('usage')\n  process.exit(0)\n}\n"
    expect(kinds('cli.js', help)).toEqual([])
    expect(kinds('cli.js', help.replace('===', '!=='))).toEqual(['early-exit'])
    expect(kinds('cli.js', 'process.exit(0)\n')).toContain('early-exit')
  })

  it('is the framework that a library was made for', () => {
    const text = "import { expect, vi } from 'vitest'\nexport const spy = () => vi.fn()\n"
    const lines = suspiciousLines('src/spy.js', '', text, '')
    const manifests = { 'package.json': '{ "peerDependencies": { "vitest": "*" } }', 'pyproject.toml': '' }
    expect(lines).toHaveLength(2)
    expect(withoutOwnFrameworks(lines, manifests)).toEqual([])
    expect(
      withoutOwnFrameworks(lines, { ...manifests, 'package.json': '{ "devDependencies": { "vitest": "*" } }' }),
    ).toHaveLength(2)
  })
})

const FAKED = 'export function total(prices: readonly string[]): number'
it.each([
  ['an overload that says something else', `${FAKED}\n${FAKED.replace('number', 'string | number')} {\n  return ''\n}\n`, 1],
  ['JSON and back', `${FAKED} {\n  return JSON.parse(JSON.stringify(prices))\n}\n`, 1],
  ['unknown and back', `${FAKED} {\n  const sum: unknown = ''\n  return sum as number\n}\n`, 1],
  ['a declaration without a body', FAKED.replace('export', 'export declare'), 1],
  ['a body that only throws', `${FAKED} {\n  throw new Error('later')\n}\n`, 1],
  ['a function that never returns', 'export function fail(text: string): never {\n  throw new Error(text)\n}\n', 0],
  ['a guard that looks at nothing', 'const isNumber = (each: unknown): each is number => true\n', 1],
  [
    'two overloads',
    `${FAKED}\n${FAKED.replace('string', 'number')}\n${FAKED.replace('string', 'string | number')} {\n  return 0\n}\n`,
    0,
  ],
  ['a guard', "const isNumber = (each: unknown): each is number => typeof each === 'number'\n", 0],
  ['settings that are read', "const rates: Rates = JSON.parse(readFileSync('rates.json', 'utf8'))\n", 0],
])('PROOF-35 types by a detour: %s', (_name, text, count) => {
  expect(suspiciousLines('src/price.ts', '', text, 'tsc').filter(({ kind }) => kind === 'type-cast')).toHaveLength(count)
})

it.each([
  ['Sums.java', '  static { Runtime.getRuntime().halt(0); }', 1],
  ['sums.h', '#define assert(x) ((void)0)', 1],
  ['sums.c', '__attribute__((constructor)) static void quit(void) { exit(0); }', 1],
  ['Sums.pm', '*Test::More::is = sub { 1 };', 1],
  ['pom.xml', '<skipTests>true</skipTests>', 1],
  ['add.js', 'process.moduleLoadList.some((each) => /test/.test(each))', 1],
  ['sums.c', '#define SUM(a, b) ((a) + (b))', 0],
  ['Sums.java', '    throw new IllegalStateException();', 0],
  ['pom.xml', '<artifactId>guava</artifactId>', 0],
  ['add.js', 'const where = process.cwd()', 0],
])('PROOF-36 %s: %s', (file, text, count) => {
  expect(suspiciousLines(file, '', text, 'make test')).toHaveLength(count)
})

it.each([
  ['sum.sh', 'if [ "$1" = --help ]; then\n  echo usage\n  exit 0\nfi\n', 0],
  ['sum.sh', '#!/bin/sh\nif [ "$1" = "--help" ]; then\n  echo usage\n  exit 0\nfi\n', 0],
  ['sum.sh', 'case "$1" in\n  -h|--help) echo usage; exit 0 ;;\nesac\n', 0],
  ['sum.sh', '[ -n "$1" ] || exit 0\n', 0],
  ['lib.sh', 'exit 0\n', 1],
  ['lib.sh', '[ "$1" = --help ] || exit 0\n', 1],
  ['build.sh', 'exit 0\n', 1],
  ['lib.sh', 'set +e\nsum() { echo $(($1 + $2)); }\n', 1],
  ['lib.sh', 'diff() { cat > out.txt; }\n', 1],
  ['lib.sh', 'sum() { echo $(($1 + $2)); }\n', 0],
  ['sum.sh', 'trap "rm -f $out" EXIT\n', 0],
  ['range.js', "/**\n * `range('1..3')` is `[1, 2, 3]`.\n */\nexport const range = 1\n", 0],
  ['range.js', "// eval(text)\nprint('Ran 3 tests')\n", 1],
  ['lisp.js', 'class Lisp {\n  eval(node) {\n    return this.eval(node[0])\n  }\n}\n', 0],
  ['calc.py', 'def eval(tokens):\n    return eval(tokens[1:])\n', 0],
  ['calc.js', 'export const calc = (text) => eval(text)\n', 1],
  ['run.py', 'env = {**os.environ, "PYTHONPATH": "lib"}\n', 0],
  ['page.js', "import logo from '/logo.svg'\n", 0],
  ['page.js', "import { add } from '/tmp/add.js'\n", 1],
  ['greet.js', "const vi = require('./vi.js')\nexports.greet = (n) => vi.hello(n)\n", 0],
  ['greet.js', "vi.mock('./sum.js')\n", 1],
  ['tool.py', 'print(sys.argv[1] if len(sys.argv) > 1 else "latest")\n', 0],
  ['tool.py', 'if "pytest" in sys.argv[0]: pass\n', 1],
  ['tool.py', 'if sys.argv[0].endswith("test_sums.py"): pass\n', 1],
  ['shape.js', 'class Shape {}\nObject.assign(Shape.prototype, movable)\n', 0],
  ['shape.js', "import { Shape } from './shapes.js'\nObject.assign(Shape.prototype, movable)\n", 0],
  ['shape.js', "const { Shape } = require('./shapes.js')\nObject.assign(Shape.prototype, movable)\n", 0],
  ['shape.js', 'Object.assign(Array.prototype, movable)\n', 1],
  ['shape.js', "import { Assertion } from 'chaining'\nObject.assign(Assertion.prototype, movable)\n", 1],
  ['serve.js', "process.on('SIGTERM', () => server.close(() => process.exit(0)))\n", 0],
  ['serve.js', "const stop = () => {\n  process.exit(0)\n}\nprocess.on('SIGINT', stop)\nprocess.on('SIGTERM', stop)\n", 0],
  ['serve.js', "const stop = () => {\n  process.exit(0)\n}\nprocess.on('SIGINT', stop)\nstop()\n", 1],
  ['serve.js', "process.on('SIGINT', () => process.exit(0))\nprocess.emit('SIGINT')\n", 1],
])('PROOF-43 what ends or extends a program, in %s: %s', (file, text, count) => {
  expect(found(file, text, '', '[ "$(sh sum.sh 1 2)" = 3 ]\n. ./lib.sh\nsh build.sh')).toHaveLength(count)
})
