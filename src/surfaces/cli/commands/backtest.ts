import { type BacktestDocument } from '../../../present/backtest-lines.ts'
import { existsSync } from 'node:fs'
import { backtest as backtestOf, inSampleOf } from '../../../evidence/backtest/backtest.ts'
import { builtInPolicies, type Policy, policyFrom } from '../../../evidence/backtest/policy.ts'
import { PawlError } from '../../../core/pawl-error.ts'
import { loopsFrom, SourceReading } from '../backtest/loops-from.ts'
import { isPolicyModule, policiesInModule } from '../backtest/policy-file.ts'
import type { CliContext } from '../cli-context.ts'
import { shortPath, textFile } from '../../../settings/text-file.ts'
import { EXIT } from '../exit-codes.ts'
import { backtestLines } from '../../../present/backtest-lines.ts'
import { requireNewFile, writeNewFile } from './write-new-file.ts'

export interface BacktestOptions {
  /** Files of policies, or the names of built-in ones. Default: those. */
  readonly policy?: readonly string[]
  /** Where to write a page with charts; `true` for `pawl-backtest.html` here. */
  readonly html?: string | true
  /** Write over that file. */
  readonly force?: boolean
}

/** Tries policies on loops that are over: what each would have avoided, and which successes it would have lost. */
export async function backtest(
  context: CliContext,
  sources: readonly string[],
  { policy: names = [], html, force = false }: BacktestOptions = {},
): Promise<number> {
  const { terminal, isJson, project } = context
  const page = html === undefined ? undefined : pageName(html)
  if (page !== undefined) requireNewFile(page, force)
  const policies = await policiesFrom(names)
  const reading = new SourceReading()
  const tried = backtestOf(policies)
  const from = sources.length === 0 ? [ownRuns(project)] : sources
  let loops = 0
  for (const source of from) {
    for await (const loop of loopsFrom(source, reading)) {
      tried.add(loop)
      if (++loops % LOOPS_BETWEEN_LINES === 0) terminal.live(`${loops} loops …`)
    }
  }
  terminal.live(undefined)
  const results = tried.rows()
  const document: BacktestDocument = {
    sources: from,
    policies: policies.map(policyDocument),
    loops,
    skipped: reading.skipped,
    beyondMaximum: reading.beyondMaximum,
    inSample: inSampleOf(policies, results) ?? null,
    page: page ?? null,
    results,
  }
  if (page !== undefined) {
    const { backtestPage } = await import('../../../present/backtest-page.ts')
    await writeNewFile(page, [backtestPage(document)], force)
  }
  if (isJson) terminal.json(document)
  else for (const line of backtestLines(document, terminal)) terminal.say(line)
  if (!isJson && page !== undefined) terminal.say(`\nThe page with the charts is ${page}.`)
  return EXIT.done
}

/** Anything but the name of a page is most likely a source that got in the way, and must not be written over. */
function pageName(html: string | true): string {
  if (html === true) return PAGE
  if (/\.html?$/i.test(html)) return html
  const sentence = `--html takes the name of a page that ends in .html, or nothing for ${PAGE}, not ${html}: if that is a source, name it before --html.`
  throw new PawlError('usage.page-name', sentence, { value: html })
}

const PAGE = 'pawl-backtest.html'

const LOOPS_BETWEEN_LINES = 500

/** Without a source the project's own runs are meant. */
function ownRuns({ root, storePath }: CliContext['project']): string {
  if (existsSync(storePath)) return storePath
  const sentence = `There are no runs yet in ${root} to try policies on: name files of recorded loops (.jsonl or .jsonl.gz), or a folder of them.`
  throw new PawlError('recording.none', sentence, { value: root })
}

async function policiesFrom(names: readonly string[]): Promise<readonly Policy[]> {
  const builtIn = builtInPolicies()
  const named = await Promise.all(
    names.map(async (name) => (Object.hasOwn(builtIn, name) ? [builtIn[name as keyof typeof builtIn]] : policiesIn(name))),
  )
  const policies = named.flat()
  const twice = policies.find(({ name }, index) => policies.findIndex((other) => other.name === name) !== index)
  if (twice) throw new PawlError('usage.policy-twice', `Two policies are called "${twice.name}": rename one of them.`)
  return policies.length === 0 ? Object.values(builtIn) : policies
}

async function policiesIn(path: string): Promise<readonly Policy[]> {
  const text = await textFile(path)
  if (text === undefined) {
    const sentence = `There is no policy file ${path}; without --policy the built-in ones are tried: ${Object.keys(builtInPolicies()).join(', ')}.`
    throw new PawlError('usage.no-policy', sentence, { value: path })
  }
  if (isPolicyModule(path)) return policiesInModule(path)
  // Only here: yaml takes longer to load than the rest.
  const { parsePolicy } = await import('../backtest/policy-file.ts')
  return [policyFrom(parsePolicy(text, shortPath(path)))]
}

function policyDocument({ name, about, guards, unexercised }: Policy): BacktestDocument['policies'][number] {
  return {
    name,
    ...(about === undefined ? {} : { about }),
    guards: guards.map(({ spec }) => (spec.name === 'custom' ? String(spec.settings['name']) : spec.name)),
    ...(unexercised === undefined ? {} : { unexercised }),
  }
}
