import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { CodeIndex } from '../src/codebase/codebase.ts'
import { folderCodebase } from '../src/codebase/folder-codebase.ts'
import { explorerAgent } from '../src/explorer/explorer-agent.ts'
import { jsonAnswer } from '../src/core/json-answer.ts'
import type { AgentAnswer } from '../src/loops/research/answer.ts'
import { extractQuestions } from '../src/loops/research/questions.ts'
import { termsOf } from '../src/loops/research/terms.ts'
import { wholeFileBm25 } from './whole-file-bm25.ts'

const USAGE = `npm run bench:research -- QUESTIONS REPOS [KIND]

  QUESTIONS  a folder of NAME.jsonl: {"id", "kind", "question", "files"} a line
  REPOS      a folder with the repository NAME for each of them
  KIND       only questions of this kind and those about absent things; default: all
`

interface Question {
  readonly id: string
  readonly kind: string
  readonly question: string
  /** The true places; none if what is asked about isn't there. */
  readonly files: readonly string[]
}

interface Result extends Question {
  /** Where the first true place is among the files that are cited, counted from 1; 0 if it isn't. */
  readonly rank: number
  readonly floor: number
  readonly isAnswered: boolean
}

const CONTEXT = { signal: new AbortController().signal, progress: () => undefined, started: () => Promise.resolve() }
const PLACES_MAX = 10

const [asking, repositories, kind] = process.argv.slice(2)
if (asking === undefined || repositories === undefined || !existsSync(asking) || !existsSync(repositories)) {
  process.stderr.write(USAGE)
  process.exitCode = 2
} else {
  const results: Result[] = []
  for (const file of readdirSync(asking)
    .filter((name) => name.endsWith('.jsonl'))
    .toSorted()) {
    const name = basename(file, '.jsonl')
    const asked = readFileSync(join(asking, file), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Question)
    const own = await measure(
      join(repositories, name),
      asked.filter((each) => kind === undefined || each.kind === kind || each.files.length === 0),
    )
    results.push(...own)
    process.stdout.write(`${row(name, own)}\n`)
  }
  process.stdout.write(`${row('all', results)}\n\n${answeredLines(results)}\n`)
}

async function measure(root: string, asked: readonly Question[]): Promise<readonly Result[]> {
  const codebase = folderCodebase({ path: root })
  const index = await codebase.index(CONTEXT)
  const bm25 = wholeFileBm25(await floorFiles(index))
  const agent = explorerAgent({ codebase })
  const results: Result[] = []
  for (const question of asked) {
    const result = await agent.work(
      { run: 'bench', iteration: 1, role: 'fast:explore', brief: briefFor(question.question), cwd: root },
      CONTEXT,
    )
    if (result.status !== 'finished') throw new Error(`${question.id}: the explorer ${result.status}`)
    const { findings, questions: statuses } = jsonAnswer(result.output?.text ?? '') as unknown as AgentAnswer
    const cited = findings
      .filter(({ answers = [] }) => answers.length > 0)
      .flatMap(({ citations }) => citations.map(({ file }) => file))
    results.push({
      ...question,
      rank: rankIn([...new Set(cited)], question.files),
      floor: rankIn(bm25(question.question, PLACES_MAX), question.files),
      isAnswered: statuses.length > 0 && statuses.every(({ status }) => status === 'answered'),
    })
  }
  return results
}

/** Source without tests and documents: the floor gets the files that most questions are about. */
async function floorFiles(index: CodeIndex): Promise<ReadonlyMap<string, string>> {
  const paths = index
    .files()
    .filter((path) => index.languageOf(path) !== undefined && !index.isTest(path) && !/^docs?\//.test(path))
  return new Map(await Promise.all(paths.map(async (path) => [path, (await index.text(path)) ?? ''] as const)))
}

/** As the research loop asks in its first iteration. */
function briefFor(text: string): string {
  const questions = extractQuestions(text).map((each, index) => ({ ...each, id: `question-${index + 1}`, status: 'not' }))
  const rest = { focus: '', gaps: [], missingFiles: [], analysedFiles: [], findings: [] }
  const request = { question: text, terms: termsOf(text), questions, role: 'explore', iteration: 1, ...rest }
  return `\`\`\`research-request\n${JSON.stringify(request)}\n\`\`\`\n`
}

function rankIn(files: readonly string[], wanted: readonly string[]): number {
  return files.findIndex((file) => wanted.includes(file)) + 1
}

function row(name: string, results: readonly Result[]): string {
  const there = results.filter(({ files }) => files.length > 0)
  const hits = (key: 'rank' | 'floor', most: number): number => there.filter((each) => each[key] > 0 && each[key] <= most).length
  const share = (count: number): string => `${((100 * count) / Math.max(there.length, 1)).toFixed(0)}%`
  const ratio = (hits('rank', 1) / Math.max(hits('floor', 1), 1)).toFixed(2)
  return `${name.padEnd(12)} ${String(there.length).padStart(3)} questions  explorer ${share(hits('rank', 1))} first, ${share(hits('rank', 3))} in three  BM25 ${share(hits('floor', 1))}, ${share(hits('floor', 3))}  ratio ${ratio}`
}

function answeredLines(results: readonly Result[]): string {
  const there = results.filter(({ files }) => files.length > 0)
  const answered = there.filter(({ isAnswered }) => isAnswered)
  const isRight = ({ rank }: Result): boolean => rank > 0 && rank <= 3
  const wrong = answered.filter((each) => !isRight(each))
  const absent = results.filter(({ files }) => files.length === 0)
  const believed = absent.filter(({ isAnswered }) => isAnswered)
  const list = (each: readonly Result[]): string => (each.length === 0 ? '' : `: ${each.map(({ id }) => id).join(', ')}`)
  return [
    `answered ${answered.length} of ${there.length}, right ${answered.length - wrong.length}, wrong ${wrong.length}${list(wrong)}`,
    `about absent things ${absent.length}, answered ${believed.length}${list(believed)}`,
  ].join('\n')
}
