import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { CommandLine } from './command-options.ts'
import { missingTarget } from './missing-target.ts'
import { temporaryFolder } from '../../test/support/process-support.ts'

/** A project with the scripts test and lint, as it was when the outputs below were recorded. */
function project(): string {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ scripts: { test: 'node --test', lint: 'true' } }))
  return folder
}

async function messageOf(command: string | readonly string[], exitCode: number, said: string, cwd = project()) {
  const line: CommandLine = typeof command === 'string' ? { command, shell: true } : { command }
  const text = said.replaceAll('HERE', cwd)
  return (await missingTarget({ line, exitCode, text, cwd, path: '/usr/bin:/bin' }))?.message
}

const NPM_END = 'npm error A complete log of this run can be found in: /root/.npm/_logs/2026-11-17T02_52_29_108Z-debug-0.log\n'
const TO_SEE = 'npm error To see a list of scripts, run:\nnpm error   npm run\n'
const NO_TSET = 'package.json has no script "tset"; did you mean "test"?'
const NO_TESST = 'package.json has no script "tesst"; did you mean "test"?'

const NODE_24 = `node:internal/modules/cjs/loader:1568
  throw err;
  ^

Error: Cannot find module 'HERE/tests/run.js'
    at Module._resolveFilename (node:internal/modules/cjs/loader:1564:15)
    at wrapResolveFilename (node:internal/modules/cjs/loader:1118:27)
    at node:internal/main/run_main_module:33:47 {
  code: 'MODULE_NOT_FOUND',
  requireStack: []
}

Node.js v24.21.0
`

const YARN_4 = `Usage Error: Couldn't find a script named "tesst".

$ yarn run [--inspect] [--inspect-brk] [-T,--top-level] [-B,--binaries-only] [--require #0] <scriptName> ...
`

/** As lines for the shell, so that only what they print is there to go by. */
test.each([
  [
    'npm 11',
    'npm run tset',
    1,
    `npm error Missing script: "tset"\nnpm error\nnpm error Did you mean this?\nnpm error   npm set # Set a value in the npm configuration\nnpm error\n${TO_SEE}${NPM_END}`,
    NO_TSET,
  ],
  [
    'npm 8',
    'npm run tset',
    1,
    'npm ERR! Missing script: "tset"\nnpm ERR! \nnpm ERR! To see a list of scripts, run:\nnpm ERR!   npm run\n\nnpm ERR! A complete log of this run can be found in:\nnpm ERR!     /root/.npm/_logs/a.log\n',
    NO_TSET,
  ],
  [
    'npm, a command',
    'npm tset',
    1,
    'Unknown command: "tset"\n\n\nDid you mean this?\n  npm set # Set a value in the npm configuration\nTo see a list of supported npm commands, run:\n  npm help\n',
    'npm has no command "tset".',
  ],
  [
    'npm without package.json',
    'npm test',
    254,
    `npm error code ENOENT\nnpm error syscall open\nnpm error path HERE/package.json\nnpm error errno -2\nnpm error enoent Could not read package.json: Error: ENOENT: no such file or directory, open 'HERE/package.json'\nnpm error enoent This is related to npm not being able to find a file.\nnpm error enoent\n${NPM_END}`,
    'There is no package.json.',
  ],
  [
    'npx --no',
    'npx --no vitest run',
    1,
    `npm error npx canceled due to missing packages and no YES option: ["vitest@4.1.12"]\n${NPM_END}`,
    'The package vitest is not installed.',
  ],
  [
    'npx of nothing',
    'npx nosuchthing',
    1,
    `npm error code E404\nnpm error 404 Not Found - GET https://registry.npmjs.org/nosuchthing\nnpm error 404\nnpm error 404  The requested resource 'nosuchthing@*' could not be found or you do not have permission to access it.\nnpm error 404\nnpm error 404 Note that you can also install from a\nnpm error 404 tarball, folder, http url, or git url.\n${NPM_END}`,
    'There is no package nosuchthing.',
  ],
  [
    'yarn 1',
    'yarn tset',
    1,
    'yarn run v1.22.22\nwarning package.json: No license field\nerror Command "tset" not found.\ninfo Visit https://yarnpkg.com/en/docs/cli/run for documentation about this command.\n',
    NO_TSET,
  ],
  ['yarn 4', 'yarn tesst', 1, YARN_4, NO_TESST],
  [
    'yarn 1 without package.json',
    'yarn run tset',
    1,
    `yarn run v1.22.22\nerror Couldn't find a package.json file in "HERE"\ninfo Visit https://yarnpkg.com/en/docs/cli/run for documentation about this command.\n`,
    'There is no package.json.',
  ],
  [
    'pnpm 12',
    'pnpm run tset',
    1,
    ' ERR_PNPM_NO_SCRIPT  Missing script: tset\n\nCommand "tset" not found. Did you mean "pnpm run test"?\n',
    NO_TSET,
  ],
  [
    'pnpm 9, short',
    'pnpm tesst',
    254,
    'undefined\n ERR_PNPM_RECURSIVE_EXEC_FIRST_FAIL  Command "tesst" not found\n\nDid you mean "pnpm test"?\n',
    NO_TESST,
  ],
  [
    'pnpm without package.json',
    'pnpm test',
    1,
    ' ERR_PNPM_NO_IMPORTER_MANIFEST_FOUND  No package.json (or package.yaml, or package.json5) was found in "HERE".\n',
    'There is no package.json.',
  ],
  ['bun', 'bun run tesst', 1, 'error: Script not found "tesst"\n', NO_TESST],
  ['bun, a file', 'bun run tests/run.ts', 1, 'error: Module not found "tests/run.ts"\n', 'There is no file tests/run.ts.'],
  [
    'deno',
    'deno task tset',
    1,
    'Task not found: tset\nAvailable tasks:\n- test (package.json)\n    node --test\n',
    'deno has no task "tset".',
  ],
  [
    'deno, a file',
    'deno run tests/run.ts',
    1,
    'error: Module not found "file://HERE/tests/run.ts".\n\nStack backtrace:\n   0: <unknown>\n',
    'There is no file tests/run.ts.',
  ],
  [
    'deno, a command',
    'deno tset',
    1,
    "error: unrecognized subcommand 'tset'\n\n  tip: a similar subcommand exists: 'test'\n",
    'deno has no command "tset".',
  ],
  ['node 24', 'node tests/run.js', 1, NODE_24, 'There is no file tests/run.js.'],
  [
    'node --test',
    'node --test tests/run.test.js',
    1,
    "Could not find 'tests/run.test.js'\n",
    'There is no file tests/run.test.js.',
  ],
  [
    'python',
    'python3 tests/run.py',
    2,
    "/usr/bin/python3: can't open file 'HERE/tests/run.py': [Errno 2] No such file or directory\n",
    'There is no file tests/run.py.',
  ],
  ['python -m', 'python3 -m nosuch', 1, '/usr/bin/python3: No module named nosuch\n', 'Python has no module nosuch.'],
  [
    'python -m, in a package',
    'python3 -m nosuch.run',
    1,
    "/usr/bin/python3: Error while finding module specification for 'nosuch.run' (ModuleNotFoundError: No module named 'nosuch')\n",
    'Python has no module nosuch.run.',
  ],
  [
    'pytest',
    'pytest tests/nosuch.py',
    4,
    'collected 0 items\n\n===== no tests ran in 0.82s =====\nERROR: file or directory not found: tests/nosuch.py\n\n',
    'There is no file tests/nosuch.py.',
  ],
  ['make', 'make tset', 2, "make: *** No rule to make target 'tset'.  Stop.\n", 'The makefile has no target tset.'],
  [
    'make without a makefile',
    'make',
    2,
    'make: *** No targets specified and no makefile found.  Stop.\n',
    'There is no makefile.',
  ],
  ['make -C', 'make -C nosuch test', 2, 'make: *** nosuch: No such file or directory.  Stop.\n', 'There is no folder nosuch.'],
  ['dash', 'sh tests/run.sh', 2, 'sh: 0: cannot open tests/run.sh: No such file\n', 'There is no file tests/run.sh.'],
  ['bash', 'bash tests/run.sh', 127, 'bash: tests/run.sh: No such file or directory\n', 'There is no file tests/run.sh.'],
  ['a script in the line', './run.sh all', 127, 'sh: 1: ./run.sh: not found\n', 'There is no file ./run.sh.'],
  ['cd', 'cd nosuch && npm test', 2, "sh: 1: cd: can't cd to nosuch\n", 'There is no folder nosuch.'],
  [
    'npm in another folder',
    'cd sub && npm run tset',
    1,
    `npm error Missing script: "tset"\n${TO_SEE}`,
    'package.json has no script "tset".',
  ],
  [
    'cargo without Cargo.toml',
    'cargo test',
    101,
    'error: could not find `Cargo.toml` in `HERE` or any parent directory\n',
    'There is no Cargo.toml.',
  ],
  [
    'cargo',
    'cargo tset',
    101,
    'error: no such command: `tset`\n\nhelp: a command with a similar name exists: `test`\n\nhelp: view all installed commands with `cargo --list`\n',
    'cargo has no command tset.',
  ],
  [
    'cargo, a target',
    'cargo test --test nosuch',
    101,
    'error: no test target named `nosuch` in default-run packages\n',
    'Cargo.toml has no target nosuch.',
  ],
  [
    'cargo, a package',
    'cargo test -p nosuch',
    101,
    'error: package ID specification `nosuch` did not match any packages\n',
    'There is no package nosuch.',
  ],
] as const)('CHECK-64 what is not there is recognised: %s', async (_program, command, exitCode, said, message) => {
  expect(await messageOf(command, exitCode, said)).toBe(message)
})

test('CHECK-64 a script that npm runs silently is looked up', async () => {
  expect(await messageOf(['npm', 'run', 'tset', '--silent'], 1, '')).toBe(NO_TSET)
  expect(await messageOf(['npm', 'run', 'lint', '--silent'], 1, '')).toBeUndefined()
})

test('CHECK-64 if no name is near, names the existing scripts', async () => {
  const found = await missingTarget({
    line: { command: ['npm', 'run', 'verify'] },
    exitCode: 1,
    text: '',
    cwd: project(),
    path: undefined,
  })
  expect(found).toMatchObject({
    fault: 'config',
    message: 'package.json has no script "verify"; it has test, lint.',
    isSlip: false,
    fix: 'Correct the command of the check, or make what it runs.',
  })
})

test('CHECK-64 a folder behind a link is the same folder', async () => {
  const cwd = project()
  const link = join(temporaryFolder(), 'link')
  symlinkSync(cwd, link)
  const said = `error: could not find \`Cargo.toml\` in \`${cwd}\` or any parent directory\n`
  expect(await messageOf(['cargo', 'test'], 101, said, link)).toBe('There is no Cargo.toml.')
})

const MISSING = 'npm error Missing script: "tset"\n'

test.each([
  ['a script that calls another one', 'npm test', 1, `> p@1.0.0 test\n> npm run tset\n\n${MISSING}`],
  ['a makefile that calls another target', 'make all', 2, "make: *** No rule to make target 'gone.c', needed by 'all'.  Stop.\n"],
  [
    'a make below make',
    'make tset',
    2,
    "make[1]: *** No rule to make target 'tset'.  Stop.\nmake: *** [Makefile:4: tset] Error 2\n",
  ],
  ['another exit code', 'npm run tset', 3, MISSING],
  ['another program', 'node --test tset', 1, MISSING],
  ['words in a sentence', 'npm run tset', 1, 'expected "npm error Missing script: tset" to be printed\n'],
  ['words long ago', 'npm run tset', 1, `${MISSING}${'a line of a test\n'.repeat(30)}`],
  [
    'a module that a test requires',
    'node tests/a.js',
    1,
    "Error: Cannot find module '/x/src/price.js'\nRequire stack:\n- /x/tests/a.js\n",
  ],
  ['a script that is there', 'npm run lint', 1, 'npm error Missing script: "lint"\n'],
  ['a file that is there', 'node package.json', 1, "Error: Cannot find module 'HERE/package.json'\n"],
  ['a manifest elsewhere', 'cargo test', 101, 'error: could not find `Cargo.toml` in `/tmp/x` or any parent directory\n'],
])('CHECK-65 the work is to blame: %s', async (_what, command, exitCode, said) => {
  expect(await messageOf(command, exitCode, said)).toBeUndefined()
})
