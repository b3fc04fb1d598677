/** Whether a path is that of a test by the conventions of the common ecosystems. */
export function isTestFile(path: string): boolean {
  return isTestName(path) || isInTestFolder(path)
}

/** Whether the file's own name says that it is a test. */
export function isTestName(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1)
  return TEST_NAMES.some((pattern) => pattern.test(name))
}

/** Whether a path holds recorded expectations. */
export function isSnapshotFile(path: string): boolean {
  return (
    /\.(?:snap|snapshot|ambr)$|(?:^|\/)[^/]*-snapshots\/|\.(?:approved|verified)\.\w+$|(?:^|\/)__snapshots__\//.test(path) &&
    !CODE.test(path)
  )
}

/** Whether a path is that of code, by its ending. */
export function isCodeFile(path: string): boolean {
  return CODE.test(path)
}

const CODE =
  /\.(?:[cm]?[jt]sx?|vue|svelte|py|go|rs|rb|java|kt|kts|groovy|scala|cs|fs|php|exs?|swift|dart|c|cc|cpp|cxx|t|bats|sh)$/

const TEST_NAMES: readonly RegExp[] = [
  /[._-](?:test|spec|tests|specs|cy|e2e)\.(?:[cm]?[jt]sx?|vue|svelte|rb|php|exs|dart|c|cc|cpp|cxx|rs|go|py|coffee|lua)$/i,
  /^test_.*\.(?:py|rb|rs|c|cc|cpp|lua)$/,
  /^tests?\.(?:py|rs|[cm]?[jt]sx?|rb|c|cc|cpp)$/,
  /(?:Test|Tests|TestCase|Spec|IT)\.(?:java|kt|groovy|scala|cs|fs|php|swift|cpp|cc)$/,
  /\.(?:t|bats)$/,
]

/** What lies in a folder of tests is code that tests, unless it is data or a sample. */
function isInTestFolder(path: string): boolean {
  if (!CODE.test(path) || /(?:^|\/)(?:node_modules|vendor|__fixtures__|fixtures|testdata|test-data|__mocks__)\//.test(path)) {
    return false
  }
  return /(?:^|\/)(?:__tests__|tests?|specs?|e2e)\//i.test(path)
}

/** Whether a file decides which tests run and what becomes of their result. */
export function isSettingsFile(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1)
  return (
    /^(?:package\.json|(?:GNU)?[mM]akefile|[jJ]ustfile|Taskfile\.ya?ml|tox\.ini|\.?pytest\.(?:ini|toml)|setup\.cfg|pyproject\.toml|conftest\.py|noxfile\.py|\.mocharc\..*|\.rspec|phpunit\.xml.*|Jenkinsfile|\.travis\.yml|\.gitlab-ci\.yml|azure-pipelines\.ya?ml|bunfig\.toml|deno\.jsonc?|composer\.json)$/.test(
      name,
    ) ||
    /^(?:vitest|vite|jest|playwright|karma|ava|cypress)\.(?:config|workspace|conf)\.|^jest\..*\.json$/.test(name) ||
    /(?:^|\/)(?:\.github\/(?:workflows|actions)|\.circleci|\.buildkite|\.ci)\//.test(path)
  )
}
