import { resolve } from 'node:path'
import type { CheckRequest, Report } from './check.ts'
import type { CommandLine } from '../process/command-options.ts'
import type { CommandTrouble } from '../process/command-trouble.ts'
import { environmentTrouble } from '../process/environment-trouble.ts'
import { missingTarget, type MissingTarget } from '../process/missing-target.ts'
import { isOfLines, type RanCheck } from './check-verdict.ts'

/** A check that failed, and whose report names no failure. */
export interface UnexplainedCheck {
  /** What its end alone tells. */
  readonly trouble: CommandTrouble | undefined
  readonly request: CheckRequest
  readonly result: RanCheck
  readonly line: CommandLine
  readonly path: string | undefined
  readonly report: Report | undefined
}

/** Why a command that failed without a report could not do its work; `undefined` where that is the work's fault. */
export async function whyNotRun({
  trouble,
  request,
  result,
  line,
  path,
  report,
}: UnexplainedCheck): Promise<(CommandTrouble & { readonly isTargetMissing?: true }) | undefined> {
  const { text } = result.output
  const { cwd } = request
  const machine = trouble === undefined ? await environmentTrouble({ text, cwd, from: 'check' }) : undefined
  if (machine !== undefined || result.status !== 'exited' || hasTests(report)) return machine ?? trouble
  const target = await missingTarget({ line, exitCode: result.exitCode, text, cwd, path })
  if (target !== undefined && isOfConfig(target, request)) {
    const { fault, message, fix } = target
    return { fault, message, fix, isTargetMissing: true }
  }
  return target !== undefined && request.hasRun ? undefined : trouble
}

/**
 * Whose fault it is that what a check runs is not there. Before any work it is the configuration's, unless there is no project yet,
 * which the agent then has to make. What ran before in this run the agent has broken. After work before which it did not run, the
 * agent may have been asked to make it, unless it is a script and one with nearly the same name is there.
 */
function isOfConfig({ isSlip, isNew }: MissingTarget, { iteration, hasRun }: CheckRequest): boolean {
  return hasRun === undefined && !isNew && (iteration === 0 || isSlip)
}

/** Lines that look like errors are no tests. */
function hasTests(report: Report | undefined): boolean {
  return report !== undefined && !isOfLines(report) && report.counts.passed + report.counts.failed + report.counts.skipped > 0
}

/** Whether the program itself is a file of the workspace, which an agent can take away. */
export function isOfWorkspace(line: CommandLine, cwd: string): boolean {
  const [program = ''] = line.shell === true ? [] : line.command
  return program.includes('/') && resolve(cwd, program).startsWith(`${resolve(cwd)}/`)
}
