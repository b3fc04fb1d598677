import type { Failure } from '../../core/failure.ts'
import type { ReportParser } from '../../ports/check.ts'
import { testFailure } from './test-failure.ts'
import { textBlocks, textsByHeading } from './text-blocks.ts'

/** `go test`. Without -v it names no passed tests, so then packages that passed are counted instead. */
export const goText: ReportParser = (output) => {
  if (!/^(?:ok|FAIL)[ \t]+\S+[ \t]+(?:\d+\.\d+s|\(cached\)|\[(?:build|setup) failed\])/m.test(output)) return undefined
  const named = (verb: string) =>
    [...output.matchAll(new RegExp(`^ *--- ${verb}: (\\S+) \\(`, 'gm'))].map((match) => match[1] ?? '')
  const tests = leaves(named('PASS'))
  const passed = tests.length > 0 ? tests.length : (output.match(/^ok[ \t]+\S+/gm)?.length ?? 0)
  const failures = [...failedTests(output), ...failedPackages(output)]
  // A package can fail without a test that did: a panic outside, os.Exit in TestMain.
  const failed = Math.max(failures.length, /^FAIL\b/m.test(output) ? 1 : 0)
  return { format: 'go', counts: { passed, failed, skipped: named('SKIP').length }, failures }
}

function failedTests(output: string): readonly Failure[] {
  const blocks = textBlocks(output, /^ *--- FAIL: (\S+) \(/, /^(?:FAIL|ok|PASS|===)|^ *--- /)
  const ids = new Set(leaves(blocks.map((block) => block.heading)))
  return blocks
    .filter((block) => ids.has(block.heading))
    .map((block) => testFailure(block.heading.replaceAll('/', ' > '), block.text))
}

function failedPackages(output: string): readonly Failure[] {
  const texts = textsByHeading(textBlocks(output, /^# (\S+)/, /^(?:FAIL|ok|\?)/))
  return [...output.matchAll(/^FAIL[ \t]+(\S+) \[(?:build|setup) failed\]$/gm)].map(([line, id = '']) =>
    testFailure(id, texts.get(id)?.trim() || line, { kind: 'compile' }),
  )
}

/** A test with subtests fails and passes with them. */
function leaves(names: readonly string[]): readonly string[] {
  const parents = new Set(names.flatMap((name) => [...name.matchAll(/\//g)].map((slash) => name.slice(0, slash.index))))
  return names.filter((name) => !parents.has(name))
}
