import type { FileChange } from '../event-data.ts'
import { SUSPICIONS_MAX, type Suspicion } from '../suspicion.ts'
import { diffFiles } from './test-edits/diff-files.ts'
import { loosenedSettings } from './test-edits/loosened-settings.ts'
import { loosenedTests, type FailingTest } from './test-edits/loosened-tests.ts'
import { removedTests } from './test-edits/removed-tests.ts'
import { replacedSubjects } from './test-edits/replaced-subjects.ts'
import { switchedOffTests } from './test-edits/switched-off-tests.ts'
import { isTestFile } from './test-edits/test-file.ts'
import { testLanguage } from './test-edits/test-language.ts'
import { testFile, type TestFile } from './test-edits/test-lines.ts'
import { testTitles } from './test-edits/test-titles.ts'

export interface TestEditsOptions {
  /** All changed files: what the diff does not show because it was cut is then known. Default: those of the diff. */
  readonly files?: readonly FileChange[]
  /** Tests that failed before the edit: another expected value in one of them is suspicious. Default: none. */
  readonly failing?: readonly FailingTest[]
}

/**
 * Finds edits by which tests say less than they did: deleted, skipped, focused, emptied or weakened, at most `SUSPICIONS_MAX`. Tests
 * that are added, moved, renamed or formatted are none. Takes a unified diff in git's format, which may have been cut.
 */
export function testEdits(diff: string, { files = [], failing = [] }: TestEditsOptions = {}): readonly Suspicion[] {
  const changed = diffFiles(diff)
  // Of what a diff does not show only a deleted file tells anything.
  if (changed.length === 0 && files.every(({ change }) => change !== 'deleted')) return []
  const tests = changed.flatMap((file): TestFile[] => {
    const language = testLanguage(file.path)
    // Rust's unit tests stand in the file they test.
    const isRead = isTestFile(file.path) || isTestFile(file.renamedFrom ?? '') || file.path.endsWith('.rs')
    return language && isRead ? [testFile(file, language)] : []
  })
  const titles = testTitles(tests)
  const found = [
    ...removedTests(changed, tests, titles, files),
    ...switchedOffTests(tests, titles),
    ...loosenedTests(tests, titles, failing),
    ...replacedSubjects(tests),
    ...loosenedSettings(changed),
  ]
  return found.slice(0, SUSPICIONS_MAX)
}

/**
 * Leaves out what is no loss against the start of the run: an agent may change and remove the tests it wrote itself. `sinceStart` is
 * what `testEdits` says of the diff from there to now.
 */
export function stillSuspicious(suspicions: readonly Suspicion[], sinceStart: readonly Suspicion[]): readonly Suspicion[] {
  return suspicions.filter((one) => sinceStart.some((each) => each.kind === one.kind && each.file === one.file))
}
