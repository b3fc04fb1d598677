import { oneLine, padded, textWidth } from './text-layout.ts'

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
