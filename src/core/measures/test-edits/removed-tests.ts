import type { FileChange } from '../../event-data.ts'
import type { Suspicion } from '../../suspicion.ts'
import type { DiffFile } from './diff-files.ts'
import { suspicion } from './suspicion-of.ts'
import { isTestFile, isTestName } from './test-file.ts'
import type { TestFile } from './test-lines.ts'
import type { TestTitles } from './test-titles.ts'

/**
 * Test files and test cases that are gone. What may have gone where the diff does not show it (a part of it was cut) is not held
 * against anyone, unless the whole file is gone and none of its name came.
 */
export function removedTests(
  diff: readonly DiffFile[],
  tests: readonly TestFile[],
  titles: TestTitles,
  changed: readonly FileChange[],
): readonly Suspicion[] {
  const isHidden = hidesTests(diff, changed)
  const files = diff.flatMap((file) => {
    const wasTest = isTestFile(file.renamedFrom ?? file.path)
    if (file.renamedFrom !== undefined && wasTest && !isTestFile(file.path)) {
      return [suspicion('deleted', file.renamedFrom, undefined, `renamed to ${file.path}`)]
    }
    return file.change === 'deleted' && wasTest
      ? deletedFile(file, tests, titles, isHidden ? isNameAdded(diff, file) : undefined)
      : []
  })
  const unseen = changed.filter(
    ({ path, change }) => change === 'deleted' && isTestName(path) && !diff.some((file) => file.path === path),
  )
  return [
    ...files,
    ...unseen.flatMap(({ path }) =>
      isNameAdded(changed, { path }) ? [] : [suspicion('deleted', path, undefined, 'the whole file')],
    ),
    ...(isHidden ? [] : removedCases(titles)),
  ]
}

/** Whether a test file was changed that the diff shows in part or not at all. */
function hidesTests(diff: readonly DiffFile[], changed: readonly FileChange[]): boolean {
  const isCut = diff.some((file) => file.isCut && isTestFile(file.path))
  const shown = new Set(diff.map((file) => file.path))
  return isCut || changed.some(({ path, change }) => change !== 'deleted' && isTestFile(path) && !shown.has(path))
}

/** One suspicion for the file, with the first headings that are added nowhere. `isElsewhere` is set where the headings cannot tell. */
function deletedFile(
  file: DiffFile,
  tests: readonly TestFile[],
  titles: TestTitles,
  isElsewhere: boolean | undefined,
): Suspicion[] {
  const own = tests.find((test) => test.file === file)
  const headings = own?.before.flat().filter((line) => line.part === 'heading') ?? []
  if (isElsewhere === undefined && headings.length > 0) {
    const gone = titles.removed.filter((each) => each.file === own)
    const [first] = gone
    if (!first) return []
    return [suspicion('deleted', file.path, first.heading.line, gone.map(({ heading }) => heading.text.trim()).join(' / '))]
  }
  if (isElsewhere === true || !isTestName(file.path) || isContentElsewhere(file, tests)) return []
  return [suspicion('deleted', file.path, undefined, 'the whole file')]
}

function isNameAdded(
  files: readonly { readonly path: string; readonly change: FileChange['change'] }[],
  { path }: { readonly path: string },
): boolean {
  return files.some((file) => file.change === 'added' && nameOf(file.path) === nameOf(path))
}

/** Half of its lines came up in another test. */
function isContentElsewhere(file: DiffFile, tests: readonly TestFile[]): boolean {
  const gone = file.hunks.flatMap(({ lines }) => lines.map((line) => line.text.trim()).filter((text) => /\w/.test(text)))
  const added = new Set(
    tests.flatMap(({ after }) => after.flat().flatMap((line) => (line.sign === '+' ? [line.text.trim()] : []))),
  )
  return gone.length > 0 && gone.filter((text) => added.has(text)).length * 2 >= gone.length
}

function removedCases(titles: TestTitles): Suspicion[] {
  return titles.removed.flatMap(({ file: { file }, heading }) =>
    file.change === 'deleted' ? [] : [suspicion('deleted', file.path, heading.line, heading.text)],
  )
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}
