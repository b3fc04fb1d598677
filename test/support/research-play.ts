import type { Effect } from '../../src/core/effect.ts'
import type { Event, EventType, Fact } from '../../src/core/event.ts'
import type { Guard } from '../../src/core/guard.ts'
import type { AgentAnswer, AnswerFinding, JudgeAnswer } from '../../src/loops/research/answer.ts'
import type { State } from '../../src/core/state.ts'
import { type ResearchSettings } from '../../src/loops/research/index.ts'
import { researchLoop } from '../../src/loops/research/loop.ts'
import type { RunConfig } from '../../src/core/run-config.ts'
import type { NeededPlace } from '../../src/loops/research/coverage.ts'
import type { JudgeWord } from '../../src/loops/research/finding.ts'
import { judgedItems } from '../../src/loops/research/judging.ts'
import { researchOf } from '../../src/loops/research/progress.ts'
import { play, type Played, usual } from './play.ts'

/** What a specialist answers: an answer, errors, or a failure. */
export type Told = Partial<AgentAnswer> | { readonly errors: readonly string[] } | { readonly fails: string }

export interface ResearchGame {
  readonly settings?: Partial<ResearchSettings>
  readonly guards?: readonly Guard[]
  /** Text of every file, by path: citations are verified against it, word for word at their line. */
  readonly files: Readonly<Record<string, string>>
  /** Relevant files; default all. */
  readonly relevant?: readonly string[]
  /** What the specialist with this role answers in this iteration; default nothing found. */
  /** What the judge says of a finding's description; default `supports`. A decoy is always `unrelated`. */
  readonly judge?: (statement: string) => JudgeWord
  /** Whether the judge supports the decoy too. */
  readonly isDecoySupported?: true
  /** Whether the judge says nothing of the decoy. */
  readonly isDecoySkipped?: true
  /** Whether the judge asks for other lines first. */
  readonly wantsMore?: true
  /** Places that the questions need, as the codebase sees them. Default: none is known. */
  readonly needs?: readonly NeededPlace[]
  readonly config?: Partial<RunConfig>
  readonly tell: (role: string, iteration: number, asked: number) => Told | undefined
}

export interface ResearchPlayed extends Played {
  readonly briefs: readonly string[]
  eventsOf<Type extends EventType>(type: Type): readonly Event<Type>[]
}

/** Plays the research loop on paper, with scripted specialists and a codebase of a few texts. */
export function playResearch(game: ResearchGame): ResearchPlayed {
  const briefs: string[] = []
  const loop = researchLoop({ goal: 'How does the login work?', strategy: 'broad', iterationsMax: 4, ...game.settings })
  const respond = (effect: Effect, state: State): readonly Fact[] | undefined => {
    if (effect.kind === 'work') briefs.push(effect.brief)
    return answerTo(game, effect, state)
  }
  const played = play({ loop, guards: game.guards ?? [], checks: [], respond, ...(game.config ? { config: game.config } : {}) })
  const eventsOf = <Type extends EventType>(type: Type) =>
    played.events.filter((event) => event.type === type) as unknown as readonly Event<Type>[]
  return { ...played, briefs, eventsOf }
}

/** An answer with nothing in it but this. */
export function answerWith(answer: Partial<AgentAnswer>): AgentAnswer {
  return { findings: [], files: [], questions: [], unknowns: [], resolutions: [], uncertainties: [], ...answer }
}

/** A finding with direct evidence at these places: `path:line:words`. */
export function found(description: string, places: readonly string[] = [], more: Partial<AnswerFinding> = {}): AnswerFinding {
  const citations = places.map((place) => {
    const [file = '', line = '1', ...words] = place.split(':')
    return { file, line: Number(line), snippet: words.join(':') }
  })
  return { description, impact: 'important', category: 'architecture', evidence: 'direct', citations, ...more }
}

function answerTo(game: ResearchGame, effect: Effect, state: State): readonly Fact[] | undefined {
  const at = state.at + 1
  const { key } = effect
  if (effect.kind === 'work') {
    const told = tellingFor(game, key)
    if (!told || !('fails' in told)) return undefined
    const data = { key, reason: 'failed', fault: 'agent', message: told.fails, durationMs: 1 } as const
    return [{ type: 'work.failed', at, by: { role: 'agent' }, data }]
  }
  if (effect.kind === 'observe') {
    const data = { key, tree: 'tree', snapshot: 'tree', files: [], filesChanged: 0, insertions: 0, deletions: 0 }
    return [{ type: 'workspace.observed', at, by: { role: 'workspace' }, data }]
  }
  if (effect.kind === 'answer' && effect.form === 'findings') {
    const { work, form, index = 0 } = effect
    const told = tellingFor(game, work) ?? {}
    if ('errors' in told)
      return [{ type: 'answer.refused', at, by: { role: 'runner' }, data: { key, work, form, index, errors: told.errors } }]
    return [
      {
        type: 'answer.read',
        at,
        by: { role: 'runner' },
        data: { key, work, form, index, findings: answerWith(told as Partial<AgentAnswer>) },
      },
    ]
  }
  if (effect.kind === 'evidence') return [evidence(effect, at)]
  if (effect.kind === 'answer' && effect.form === 'judgements') {
    const research = researchOf(state)
    const items = judgedItems(research).filter(({ isDecoy }) => !(isDecoy && game.isDecoySkipped))
    const judgements = items.map(({ id, statement, isDecoy }) => {
      const { description = '' } = research.findings.find((each) => each.id === statement.finding) ?? {}
      return {
        id,
        verdict: isDecoy && !game.isDecoySupported ? ('unrelated' as const) : (game.judge?.(description) ?? 'supports'),
        reason: 'It was read.',
      }
    })
    const { work, form } = effect
    return [
      {
        type: 'answer.read',
        at,
        by: { role: 'runner' },
        data: { key, work, form, judgements: asksForMore(game, work, judgements) },
      },
    ]
  }
  if (effect.kind !== 'examine') return usual(effect, state)
  return examined(game, effect, at)
}

/** The first time it asks for other lines of everything but the decoy, if it wants any. */
function asksForMore({ wantsMore }: ResearchGame, work: string, judgements: JudgeAnswer['judgements']): JudgeAnswer {
  if (!wantsMore || work.includes('.more')) return { judgements, more: [] }
  const more = judgements.filter(({ verdict }) => verdict === 'supports').map(({ id }) => ({ id, file: 'src/login.ts', line: 2 }))
  return { judgements: judgements.filter(({ verdict }) => verdict !== 'supports'), more }
}

/** The quoted words are the lines, and a decoy is among them. */
function evidence({ key, iteration, statements }: Effect & { kind: 'evidence' }, at: number): Fact {
  const read = statements.map(({ finding, question, places }) => ({
    finding,
    ...(question ? { question: question.id } : {}),
    passages: places.map(({ file, line, snippet }) => ({ file, line, from: line, lines: [snippet] })),
  }))
  const decoy = { place: 0, of: 0, passage: { file: 'src/other.ts', line: 1, from: 1, lines: ['export const other = 1'] } }
  return { type: 'evidence.read', at, by: { role: 'check', name: 'given' }, data: { key, iteration, statements: read, decoy } }
}

function tellingFor({ tell }: ResearchGame, work: string): Told | undefined {
  const [iteration = '0', name = ''] = work.split('/')
  return tell(name.replace(/\..*$/, ''), Number(iteration), name.includes('.again') ? 2 : 1)
}

function examined(
  game: ResearchGame,
  { key, iteration, citations, terms }: Effect & { kind: 'examine' },
  at: number,
): readonly Fact[] {
  const by = { role: 'check', name: 'given' } as const
  const { relevant = Object.keys(game.files) } = game
  const facts = citations.map(({ of, file, line, snippet }): Fact => {
    const there = game.files[file]?.split('\n')[line - 1]
    const holds = there !== undefined && there.includes(snippet)
    if (!holds) return { type: 'citation.refuted', at, by, data: { of, file, line, note: 'it does not stand there' } }
    return { type: 'citation.verified', at, by, data: { of, file, line, status: 'exact' } }
  })
  const files = relevant.map((path) => ({ path, score: 1, reasons: ['it is given'] }))
  const needs = game.needs ? { needs: game.needs } : {}
  const data = { key, iteration, terms, files, filesTotal: Object.keys(game.files).length, ...needs }
  return [...facts, { type: 'coverage.estimated', at, by, data }]
}
