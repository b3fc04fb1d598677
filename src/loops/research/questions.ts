import type { PendingAnswer, ResearchProgress, ResearchQuestion } from './progress.ts'
import { type ProposedQuestion, QUESTIONS_MAX } from './answer.ts'
import { type Finding, hasEvidence, isLive, isVerified, standingOf } from './finding.ts'
import type { QuestionKind, QuestionStatus, ResearchRules } from './rules.ts'

/**
 * The questions in a prompt, by rules: every sentence or part of one that asks whether it is possible, how, where or what, or why. A prompt
 * that asks nothing in these words is one question about how things work. All are critical.
 */
export function extractQuestions(prompt: string): readonly ProposedQuestion[] {
  const found = parts(prompt).flatMap((text): ProposedQuestion[] => {
    const kind = kindOf(text)
    return kind === undefined ? [] : [{ text, kind, isCritical: true }]
  })
  const different = found.filter(({ text }, index) => found.findIndex((each) => each.text === text) === index)
  if (different.length > 0) return different.slice(0, QUESTIONS_MAX)
  return [{ text: prompt.trim(), kind: 'architecture', isCritical: true }]
}

/** Sentences, and the parts of a sentence that begin a question of their own after an "and" or a comma. */
function parts(prompt: string): readonly string[] {
  const quotes = [...new Set(prompt.match(QUOTED) ?? [])]
  // A full stop or an "and where" in a quoted message ends no question.
  const masked = quotes.reduce((text, quote, index) => text.replaceAll(quote, () => `\u{E000}${index}\u{E001}`), prompt)
  const open = (text: string): string => text.replaceAll(/\u{E000}(\d+)\u{E001}/gu, (_, index) => quotes[Number(index)] ?? '')
  return sentences(masked).map(open)
}

const QUOTED = /"[^"\n]{2,300}"|“[^”\n]{2,300}”|`[^`\n]{2,300}`|(?<!\w)'[^'\n]{2,300}'(?!\w)/g

function sentences(prompt: string): readonly string[] {
  return prompt
    .split(/(?<=[.?!])\s+|\n+|;\s+/)
    .flatMap((sentence) => sentence.split(/,?\s+(?:and|or)\s+(?=(?:how|what|where|why|which|who|is it|is there|can|could)\b)/i))
    .flatMap((part) => part.split(ASKS_ALREADY.test(part) ? /,\s+(?=(?:how|what|where|why|who)\b)/i : COMMA_QUESTION))
    .map((text) => text.trim().replace(/^(?:[-*•]|\d+[.)])\s*/, ''))
    .filter((text) => text !== '')
}

/** In a sentence that asks already, "…, where tokens end up" asks again; elsewhere a comma and "where" may only tell more. */
const ASKS_ALREADY = /^\W*(?:how|what|where|why|which|who|is|are|does|do|can|could|explain|describe|tell me)\b/i
const COMMA_QUESTION = /,\s+(?=(?:how|what|where|why)\s+(?:is|are|do|does|did|can|uses?|calls?|imports?|happens)\b)/i

/** The first that fits; a question that only has its mark, or begins like one, is about how things work. */
function kindOf(text: string): QuestionKind | undefined {
  const found = KINDS.find(([, pattern]) => pattern.test(text))
  if (found) return found[0]
  return text.endsWith('?') || /^(?:how|what|who)\b/i.test(text) ? 'architecture' : undefined
}

const KINDS: readonly (readonly [QuestionKind, RegExp])[] = [
  [
    'feasibility',
    /\b(?:is it possible|would it be possible|is there a way|feasib\w*|can (?:we|i|you|it|one)|could (?:we|i|you|it|one))\b/i,
  ],
  ['rationale', /\b(?:why|what is the reason|for what reason)\b/i],
  [
    'location',
    /\b(?:where|what handles|who handles|what (?:uses|calls|imports|depends|implements)|who (?:uses|calls)|which (?:file|files|module|component|class|function|part|code)\w*|locate)\b/i,
  ],
  ['architecture', /\b(?:how (?:does|do|is|are|can|it|the|to|\w+)|what (?:is|are|does|happens)|architecture|data flow)\b/i],
]

/**
 * How far every question is answered now. An agent's word is not enough: `answered` needs a finding with verified citations of which somebody other than
 * its author says that it answers, and enough confidence. With verified citations alone it is `claimed`. A question that asks for every use is
 * `partly` answered while Pawl sees one that nobody cites.
 */
export function answeredQuestions(
  research: Pick<ResearchProgress, 'questions' | 'findings' | 'answers' | 'estimate'>,
  rules: Pick<ResearchRules, 'answerConfidenceMin'>,
): readonly ResearchQuestion[] {
  const { questions, findings, answers } = research
  return questions.map((question) => {
    const { id } = question
    const linked = findings.filter((finding) => isLive(finding) && finding.answers?.includes(id))
    const standing = linked.filter((finding) => standingOf(finding, id) !== 'refuted')
    const judged = standing.filter((finding) => standingOf(finding, id) === 'verified' && hasEvidence(finding))
    const proved = judged.filter(({ confidence }) => confidence >= rules.answerConfidenceMin)
    const word =
      lastWord(question, answers, { proved, standing }) ?? (linked.length > 0 ? { status: 'answered' as const } : undefined)
    const unseen = USES.test(question.text) ? unseenUses(id, research, judged) : undefined
    const isClaimed = standing.some((finding) => standingOf(finding, id) === 'claimed' && hasEvidence(finding))
    const status: QuestionStatus =
      proved.length > 0
        ? word?.status === 'answered' && unseen === undefined
          ? 'answered'
          : 'partly'
        : word?.status === 'answered' && isClaimed
          ? 'claimed'
          : word?.status === 'partly' || (standing.length > 0 && !(word?.status === 'not' && standing.every(isGuess)))
            ? 'partly'
            : 'not'
    const missing =
      status === 'answered' ? undefined : (word?.missing ?? lackOf({ status, unseen, linked, standing, word, question }))
    const { missing: _before, said: _word, ...rest } = question
    return {
      ...rest,
      status,
      findings: [...judged, ...standing.filter((finding) => !judged.includes(finding))]
        .map((finding) => finding.id)
        .slice(0, FINDINGS_NAMED_MAX),
      ...(word === undefined ? {} : { said: word.status }),
      ...(missing === undefined ? {} : { missing }),
    }
  })
}

const FINDINGS_NAMED_MAX = 50

/** A place to look: nobody says that its lines show the thing itself. */
function isGuess({ sources }: Finding): boolean {
  return sources.every(({ evidence }) => evidence === 'inferred' || evidence === 'supporting')
}

interface Word {
  readonly status: QuestionStatus
  readonly missing?: string
}

/**
 * What agents said last, in the order of their assignments: those that proved something, else those that found something, else any. Whoever found nothing
 * can't unsay an answer; whoever only guessed places and says `not` is believed.
 */
function lastWord(
  question: ResearchQuestion,
  answers: readonly PendingAnswer[],
  { proved, standing }: { readonly proved: readonly Finding[]; readonly standing: readonly Finding[] },
): Word | undefined {
  const words = answers
    .toSorted((one, other) => one.index - other.index)
    .flatMap(({ agent, answer }) => answer.questions.filter(({ id }) => id === question.id).map((word) => ({ agent, word })))
  const authors = new Set((proved.length > 0 ? proved : standing).flatMap(({ sourceAgents }) => sourceAgents))
  const own = words.filter(({ agent }) => authors.has(agent))
  const others = proved.length > 0 ? [] : words.filter(({ word }) => standing.length === 0 || word.status !== 'not')
  const last = (own.length > 0 ? own : others).at(-1)?.word
  if (last) return last
  return question.said === undefined || question.said === 'not' ? undefined : { status: question.said }
}

/** The files with uses that nobody cites, where Pawl sees all uses; `undefined` if there is none. */
function unseenUses(
  question: string,
  { estimate }: Pick<ResearchProgress, 'estimate'>,
  judged: readonly Finding[],
): string | undefined {
  const cited = new Set(judged.flatMap(({ citations }) => citations.filter(isVerified).map(({ file }) => file)))
  const unseen = (estimate?.needs ?? [])
    .filter((place) => place.question === question && place.kind !== 'declaration' && !cited.has(place.file))
    .map(({ file, line, why }) => `${file}${line === undefined ? '' : `:${line}`} ${why}`)
  return unseen.length === 0 ? undefined : [...new Set(unseen)].slice(0, USES_NAMED_MAX).join(', ')
}

/** A question that asks for every use of something. */
const USES = /\b(?:uses?|used|calls?|called|callers?|imports?|imported|invokes?|invoked|references?|depends?)\b/i

const USES_NAMED_MAX = 5

interface Lack {
  readonly status: QuestionStatus
  readonly unseen: string | undefined
  readonly linked: readonly Finding[]
  readonly standing: readonly Finding[]
  readonly word: Word | undefined
  readonly question: ResearchQuestion
}

function lackOf({ status, unseen, linked, standing, word, question }: Lack): string | undefined {
  if (status === 'claimed') return 'somebody other than its author to judge the answer'
  if (unseen !== undefined && status === 'partly') return unseen
  if (standing.length > 0) return 'evidence that could be verified'
  if (linked.length > 0) return 'lines that show it: those that were cited do not'
  return word?.status === 'answered' ? 'a finding that answers it' : question.missing
}
