import type { Suspicion } from '../../suspicion.ts'
import { suspicion } from './suspicion-of.ts'
import { isTestName } from './test-file.ts'
import { isTitle, type TestFile, type TestLine } from './test-lines.ts'
import type { TestTitles } from './test-titles.ts'

/** Tests that were there and are skipped now, tests that keep all others from running, and an end of the process before they ran. */
export function switchedOffTests(tests: readonly TestFile[], titles: TestTitles): readonly Suspicion[] {
  return tests.flatMap((test) => [...skipped(test, titles), ...focused(test), ...ended(test)])
}

const GOOD_END = /^\s*(?:process\.exit|os\._exit|sys\.exit|os\.Exit|std::process::exit|System\.exit|exit)\(\s*0?\s*\);?\s*$/

/** A test that ends its process says that all went well. Programs that tests start may do so. */
function ended({ file, after }: TestFile): Suspicion[] {
  if (file.change !== 'modified' || !(isTestName(file.path) || file.path.endsWith('conftest.py'))) return []
  return after.flat().flatMap((line) => {
    const isEnd = line.sign === '+' && line.part !== 'comment' && GOOD_END.test(line.text)
    return isEnd ? [suspicion('weakened', file.path, line.line, line.text)] : []
  })
}

function skipped(test: TestFile, titles: TestTitles): Suspicion[] {
  const already = new Set(test.before.flat().flatMap((line) => (isSkip(line, test) ? [line.test] : [])))
  return test.after.flatMap((lines, hunk) =>
    lines.flatMap((line, index) => {
      if (line.sign !== '+' || !isSkip(line, test) || isWritten(line, test.before[hunk] ?? [])) return []
      const known = line.part === 'suite' ? suiteWasThere(lines, index, titles) : caseWasThere(line, lines, titles)
      return known && !(isTitle(line.test) && already.has(titles.titleBefore(line.test)))
        ? [suspicion('skipped', test.file.path, line.line, line.text)]
        : []
    }),
  )
}

function focused({ file, language, after, before }: TestFile): Suspicion[] {
  const { focus } = language
  if (!focus) return []
  const old = before.flat()
  return after.flat().flatMap((line) => {
    const isFocus = line.sign === '+' && line.part !== 'comment' && focus.test(line.text)
    return isFocus && !isWritten(line, old) ? [suspicion('focused', file.path, line.line, line.text)] : []
  })
}

function isSkip(line: TestLine, { language: { skip } }: TestFile): boolean {
  if (line.part === 'comment') return false
  if (line.part === 'heading' || line.part === 'suite') return skip.heading?.test(line.text) === true
  return skip.above?.test(line.text) === true || (line.part === 'body' && skip.within?.test(line.text) === true)
}

/** Whether the very line stood there before: then it was only moved. */
function isWritten(line: TestLine, before: readonly TestLine[]): boolean {
  return before.some((each) => each.sign === '-' && each.text.trim() === line.text.trim())
}

/** A test that is new with all its lines takes nothing away. */
function caseWasThere(line: TestLine, lines: readonly TestLine[], titles: TestTitles): boolean {
  if (isTitle(line.test)) return titles.wasThere(line.test)
  return lines.some((each) => each.sign === ' ' && /\w/.test(each.text))
}

/** A new group takes something away when what stands in it was there. */
function suiteWasThere(lines: readonly TestLine[], index: number, titles: TestTitles): boolean {
  const first = lines.slice(index + 1).find((line) => line.part === 'heading')
  if (first) return titles.wasThere(first.test)
  return lines.slice(index + 1).some((line) => line.sign === ' ' && /\w/.test(line.text))
}
