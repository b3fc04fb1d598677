import type { Failure } from '../../core/failure.ts'
import type { ReportParser } from '../../ports/check.ts'
import { tellingLines } from './general.ts'
import { sourceLocation } from './source-location.ts'
import { testFailure } from './test-failure.ts'
import { isCut, sum, textBlocks } from './text-blocks.ts'

/**
 * node:test's spec reporter, the default since Node 23 also where no terminal is. Failed tests are listed at the end by their
 * last name only; the tree above gives the names of the suites around them.
 */
export const nodeSpecText: ReportParser = (output) => {
  if (!/^ℹ tests \d+\n(?:ℹ suites \d+\n)?ℹ pass \d+\nℹ fail \d+$/m.test(output)) return undefined
  const closing = (word: string) => sum([...output.matchAll(new RegExp(`^ℹ ${word} (\\d+)$`, 'gm'))].map((match) => match[1]))
  const failures = failuresIn(output)
  // A test is counted once more when one of its subtests fails; the list has it only if it failed by itself.
  const failed = failures.length > 0 && !isCut(output) ? failures.length : closing('fail') + closing('cancelled')
  return {
    format: 'node-spec',
    counts: { passed: closing('pass'), failed, skipped: closing('skipped') + closing('todo') },
    failures,
  }
}

function failuresIn(output: string): readonly Failure[] {
  const paths = failedPaths(output)
  const lists = output.split(/^✖ failing tests:$/m).slice(1)
  return lists
    .flatMap((list) => textBlocks(list, /^(test at .+)$/, /^(?:▶|✔|ℹ)/))
    .flatMap(({ heading, text }) => {
      const [title = '', ...lines] = text.split('\n')
      const name = nameIn(title)
      if (name === undefined) return []
      const index = paths.findIndex((path) => path.at(-1) === name)
      const path = index < 0 ? [name] : (paths.splice(index, 1)[0] ?? [name])
      return [{ ...sourceLocation(heading), ...testFailure(path.join(' > '), reasonIn(lines.join('\n'), title, output)) }]
    })
}

/**
 * An error without a stack is printed in quotes. Of a file that broke before its tests began, the reason is what it printed
 * just before.
 */
function reasonIn(text: string, title: string, output: string): string {
  const reason = /^'(.*)'$/.exec(text.trim())?.[1] ?? text
  if (reason !== 'test failed') return reason
  const before = output.slice(0, Math.max(0, output.indexOf(title)))
  const printed = before.split(/^\s*(?:▶|✔|✖|﹣) .*$/m).at(-1) ?? ''
  return `${reason}\n${tellingLines(printed)}`.trim()
}

/** The failed tests of the tree in order. `▶ suite` opens a level; a `✖` at that same level closes it and is the suite itself. */
function failedPaths(output: string): string[][] {
  const paths: string[][] = []
  const open: string[] = []
  for (const line of output.split('\n')) {
    if (line.startsWith('✖ failing tests:')) break
    const depth = (line.length - line.trimStart().length) / 2
    const suite = /^ *▶ (.+)$/.exec(line)?.[1]
    if (suite !== undefined) {
      open.length = Math.min(open.length, depth)
      open[depth] = suite
      continue
    }
    const name = nameIn(line.trimStart())
    if (name === undefined) continue
    const isSuite = open.length > depth && open[depth] === name
    if (isSuite) open.length = depth
    else paths.push([...open.slice(0, depth), name])
  }
  return paths
}

function nameIn(line: string): string | undefined {
  return /^✖ (.+) \([\d.]+ms\)(?: #.*)?$/.exec(line)?.[1]
}
