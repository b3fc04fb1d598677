/** Whether a file decides which tests run and what becomes of their result. */
export function isSettingsFile(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1)
  return (
    /^(?:package\.json|(?:GNU)?[mM]akefile|[jJ]ustfile|Taskfile\.ya?ml|tox\.ini|pytest\.ini|\.?pytest\.toml|setup\.cfg|pyproject\.toml|conftest\.py|noxfile\.py|\.mocharc\..*|\.rspec|phpunit\.xml.*|Jenkinsfile|\.travis\.yml|\.gitlab-ci\.yml|azure-pipelines\.ya?ml|bunfig\.toml|deno\.jsonc?|composer\.json)$/.test(
      name,
    ) ||
    /^(?:vitest|vite|jest|playwright|karma|ava|cypress)\.(?:config|workspace|conf)\.|^jest\..*\.json$/.test(name) ||
    /(?:^|\/)(?:\.github\/(?:workflows|actions)|\.circleci|\.buildkite|\.ci)\//.test(path)
  )
}
