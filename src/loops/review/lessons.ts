import type { CheckRecord } from '../../core/state.ts'
import { type Lesson, LESSONS_MAX } from './progress.ts'
import { shortened } from '../../core/wording.ts'

/** What reviews teach: each note that weighs more than a matter of taste as a short rule, unless it is known already. */
export function lessonsFrom(reviews: readonly CheckRecord[], known: readonly Lesson[]): readonly string[] {
  const seen = new Set(known.map(({ rule }) => essence(rule)))
  const rules: string[] = []
  for (const { message, severity } of reviews.flatMap(({ failures }) => failures)) {
    const rule = shortened(message, RULE_LENGTH_MAX)
    if (severity === 'minor' || rule === '' || seen.has(essence(rule))) continue
    seen.add(essence(rule))
    rules.push(rule)
  }
  return rules.slice(0, LEARNED_AT_ONCE_MAX)
}

/** The lessons of other items as lines of a brief, with the item each comes from. */
export function lessonLines(lessons: readonly Lesson[], item: string | undefined): readonly string[] {
  return lessons.filter((lesson) => lesson.item !== item).map((lesson) => `${lesson.rule} (learned in ${lesson.item})`)
}

/** The same rule is the same however it is spaced, cased or ended; a number or a sign in it makes another rule. */
function essence(rule: string): string {
  return rule
    .toLowerCase()
    .replaceAll(/[\s"'`“”‘’]+/gu, ' ')
    .replaceAll(/[.,;:!?]+(?= |$)/gu, '')
    .trim()
}

const RULE_LENGTH_MAX = 160
const LEARNED_AT_ONCE_MAX = LESSONS_MAX
