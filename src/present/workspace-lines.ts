import { oneLine, padded, safeText, type Screen, textWidth } from './layout.ts'
import { counted } from '../core/wording.ts'

/** One line of a file and where it comes from. */
export interface LineView {
  readonly line: number
  readonly text: string
  /** `before` the first run, `between` two runs, by the `agent`, a `person` or the `checks` during one, or `since` the last. */
  readonly by: 'before' | 'between' | 'agent' | 'person' | 'checks' | 'since'
  readonly run?: string
  readonly iteration?: number
  readonly item?: string
  /** The look at the files that first showed it, and when that was. */
  readonly seq?: number
  readonly at?: number
  readonly role?: string
  readonly agent?: string
  readonly model?: string
  readonly verdict?: string
  readonly verdictSeq?: number
  /** The name that the file had then, where it was another. */
  readonly path?: string
}

/** Who, then the number of the line, then the line. */
export function blameLines(lines: readonly LineView[], { isOneRun }: { readonly isOneRun: boolean }): readonly string[] {
  const who = lines.map((line) => oneLine(whoWords(line, isOneRun)))
  const width = Math.max(0, ...who.map(textWidth))
  const digits = String(lines.length).length
  return lines.map(({ line, text }, index) => {
    const words = padded(who[index] ?? '', width, 'left')
    return `${words}  ${String(line).padStart(digits)}  ${text}`.trimEnd()
  })
}

function whoWords({ by, run = '', iteration = 0, role, agent, model, verdict }: LineView, isOneRun: boolean): string {
  if (by === 'before') return isOneRun ? 'before the run' : 'before the first run'
  if (by === 'between') return `by a person, before ${run}`
  if (by === 'since') return 'by a person, since the last run'
  const place = `${isOneRun ? 'iteration' : run} ${iteration}`
  if (by === 'person') return `${place}, by a person`
  if (by === 'checks') return `${place}, by the checks while they ran`
  const name = [agent, model].filter((word) => word !== undefined).join(' ') || 'the agent'
  const played = role === undefined || role === 'coder' ? '' : ` as ${role.slice(role.indexOf(':') + 1)}`
  return `${place}, ${name}${played === ` as ${name}` ? '' : played}, ${verdict ?? 'not judged yet'}`
}

/**
 * The lines of a patch. Where a person looks they are coloured and cannot do anything to the terminal; where a program reads they
 * are as they are, so that the patch can be applied.
 */
export function* patchLines(
  patch: string,
  { isLive, paint }: Pick<Screen, 'paint'> & { readonly isLive: boolean },
): Generator<string> {
  if (patch === '') return
  const isSeen = isLive || paint('red', 'x') !== 'x'
  const lines = patch.endsWith('\n') ? patch.slice(0, -1).split('\n') : patch.split('\n')
  let isHead = true
  for (const line of lines) {
    if (line.startsWith('diff --git ')) isHead = true
    else if (line.startsWith('@@')) isHead = false
    yield isSeen ? painted(safeText(line), isHead, paint) : line
  }
}

function painted(line: string, isHead: boolean, paint: Screen['paint']): string {
  if (isHead) return paint('bold', line)
  if (line.startsWith('+')) return paint('green', line)
  if (line.startsWith('-')) return paint('red', line)
  return line.startsWith('@@') ? paint('cyan', line) : line
}

/** What a worktree holds that is nowhere else. */
export interface WorktreeLosses {
  readonly ignored: readonly string[]
  readonly leftOut: readonly string[]
  readonly outside: readonly string[]
  readonly commits: readonly string[]
}

/** What would be gone with a worktree, one line for each kind of it. */
export function lossWords({ ignored, leftOut, outside, commits }: WorktreeLosses): readonly string[] {
  const [commit = ''] = commits
  return [
    ...(ignored.length > 0 ? [`${listed(ignored)}, which git ignores`] : []),
    ...leftOut,
    ...(outside.length > 0 ? [`changes outside the folder of the run: ${listed(outside)}`] : []),
    ...(commits.length > 0
      ? [`${counted(commits.length, 'commit')} on no branch; kept by: git branch NAME ${commit.slice(0, 12)}`]
      : []),
  ]
}

function listed(names: readonly string[]): string {
  const more = names.length > NAMES_MAX ? ` and ${names.length - NAMES_MAX} more` : ''
  return `${names.slice(0, NAMES_MAX).join(', ')}${more}`
}

const NAMES_MAX = 5
