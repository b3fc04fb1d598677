import { existsSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { makeProject } from './project.ts'

/** A small project with two bugs. The agent fixes one in each iteration, and the brief of the second names what is left. */
interface Ecosystem {
  /** Programs it needs; without them it cannot be tried here. */
  readonly needs: readonly string[]
  readonly files: Readonly<Record<string, string>>
  readonly checks: readonly string[]
  /** What the agent does, for `sh`. */
  readonly first: string
  readonly second: string
  /** What the checks say, iteration by iteration, the look before any work first. */
  readonly failing: readonly number[]
  /** What the second brief says about the failure that is left. */
  readonly brief: readonly (string | RegExp)[]
  /** Links our own packages into the project. */
  readonly usesOurPackages?: true
}

const ECOSYSTEMS: Readonly<Record<string, Ecosystem>> = {
  'JavaScript with node:test': {
    needs: [],
    files: {
      'package.json': '{ "type": "module" }\n',
      'sum.js': 'export const add = (a, b) => a - b\nexport const label = (n) => `no ${n}`\n',
      'sum.test.js': `import assert from 'node:assert'
import { describe, it } from 'node:test'
import { add, label } from './sum.js'
describe('sum', () => {
  it('adds', () => assert.strictEqual(add(2, 3), 5))
  it('labels', () => assert.strictEqual(label(7), '7'))
  it('is a module', () => assert.ok(add))
})
`,
    },
    checks: ['node --test'],
    first: "sed -i 's/a - b/a + b/' sum.js",
    second: "sed -i 's/`no ${n}`/`${n}`/' sum.js",
    failing: [2, 1, 0],
    brief: ['sum > labels', 'sum.test.js:6', /'no 7'/, /'7'/],
  },
  'TypeScript with vitest and tsc': {
    needs: [],
    usesOurPackages: true,
    files: {
      'package.json': '{ "type": "module" }\n',
      'tsconfig.json':
        '{ "compilerOptions": { "strict": true, "noEmit": true, "module": "nodenext", "target": "esnext", "types": [] }, "include": ["src"] }\n',
      'src/price.ts': 'export function price(cents: number): string {\n  return cents / 100\n}\n',
      'src/price.test.ts': `import { expect, it } from 'vitest'
import { price } from './price.js'
it('shows a price', () => {
  expect(price(1250)).toBe('12.50')
})
`,
    },
    checks: ['node_modules/.bin/tsc --noEmit', 'node_modules/.bin/vitest run --reporter=json --outputFile=/dev/stdout'],
    first: "sed -i 's/return .*/return String(cents \\/ 100)/' src/price.ts",
    second: "sed -i 's/return .*/return (cents \\/ 100).toFixed(2)/' src/price.ts",
    failing: [2, 1, 0],
    brief: ['shows a price', 'src/price.test.ts', '12.50'],
  },
  'Python with unittest': {
    needs: ['/usr/bin/python3'],
    files: {
      'words.py': 'def title(text):\n    return text.upper()\n\n\ndef count(text):\n    return len(text)\n',
      'test_words.py': `import unittest
from words import count, title


class Words(unittest.TestCase):
    def test_title(self):
        self.assertEqual(title("a b"), "A b")

    def test_count(self):
        self.assertEqual(count("a b"), 2)


if __name__ == "__main__":
    unittest.main()
`,
    },
    checks: ['/usr/bin/python3 -B -m unittest'],
    first: "sed -i 's/text.upper()/text.capitalize()/' words.py",
    second: "sed -i 's/len(text)/len(text.split())/' words.py",
    failing: [2, 1, 0],
    brief: ['test_count', 'test_words.py:10', /3 != 2|expected 2/i],
  },
  'Perl with prove': {
    needs: ['/usr/bin/perl', '/usr/bin/prove'],
    files: {
      'lib/Sum.pm': 'package Sum;\nsub add { return $_[0] - $_[1] }\nsub twice { return $_[0] }\n1;\n',
      't/sum.t': `use lib 'lib';
use Test::More tests => 3;
use Sum;
is(Sum::add(2, 3), 5, 'adds');
is(Sum::twice(4), 8, 'doubles');
ok(1, 'runs');
`,
    },
    checks: ['/usr/bin/prove --verbose t'],
    first: "sed -i 's/- \\$_\\[1\\]/+ $_[1]/' lib/Sum.pm",
    second: "sed -i 's/sub twice { return \\$_\\[0\\] }/sub twice { return 2 * $_[0] }/' lib/Sum.pm",
    failing: [2, 1, 0],
    brief: ['doubles'],
  },
  'C with make': {
    needs: ['/usr/bin/cc', '/usr/bin/make'],
    files: {
      Makefile: 'test: sum\n\t./sum\nsum: sum.c\n\tcc -o sum sum.c\n.PHONY: test\n',
      '.gitignore': 'sum\n',
      'sum.c':
        '#include <assert.h>\nint add(int a, int b) { return a - b }\nint main(void) {\n  assert(add(2, 3) == 5);\n  return 0;\n}\n',
    },
    checks: ['make --no-print-directory test'],
    first: "sed -i 's/a - b }/a - b; }/' sum.c",
    second: "sed -i 's/a - b/a + b/' sum.c",
    failing: [1, 1, 0],
    brief: ['sum.c:4', 'add(2, 3) == 5'],
  },
}

describe.concurrent('TASK-60 a task loop on a small real project', () => {
  test.for(Object.entries(ECOSYSTEMS))('%s', async ([name, ecosystem], context) => {
    const missing = ecosystem.needs.filter((program) => !existsSync(program))
    if (missing.length > 0) return context.skip(`${missing.join(' and ')} is not on this machine`)
    const project = await makeProject(context, { files: { '.gitignore': 'node_modules\n', ...ecosystem.files } })
    if (ecosystem.usesOurPackages)
      symlinkSync(join(import.meta.dirname, '..', '..', 'node_modules'), join(project.root, 'node_modules'))
    const agent = await project.script(
      'agent.sh',
      `cat >"$NOTES/brief-$PAWL_ITERATION"\ncase "$PAWL_ITERATION" in\n1) ${ecosystem.first} ;;\n*) ${ecosystem.second} ;;\nesac`,
    )
    const checks = ecosystem.checks.flatMap((check) => ['--check', check])
    const result = await project.pawl('task', `Mend it: ${name}`, '--id', 'mend', '--agent-command', agent, ...checks)
    expect(result).toMatchObject({ code: 0, stderr: '' })

    const ended = await project.of('mend', 'iteration.ended')
    expect(ended.map((event) => event.data.verdict.failing)).toEqual(ecosystem.failing.slice(1))
    const failed = await project.of('mend', 'check.failed')
    const before = failed.filter((event) => event.data.key.startsWith('0/'))
    expect(before.reduce((sum, event) => sum + (event.data.counts?.failed ?? 1), 0)).toBe(ecosystem.failing[0])
    const brief = await project.noted('brief-2')
    for (const part of ecosystem.brief) expect(brief).toMatch(part)
    expect(brief).toContain('# The whole output of the failed checks')
  })
})
