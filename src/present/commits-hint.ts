import type { Event } from '../core/event.ts'
import type { State } from '../core/state.ts'
import { newsIn } from './look-news.ts'

/** What became of the repository's branch while the run went: commits of an agent are in no diff of the files. */
export function commitsHint({ run }: State, events: readonly Event[]): readonly string[] {
  const looks = events.filter((event) => event.type === 'workspace.observed')
  const news = looks.slice(1).flatMap((event) => newsIn(event).map((note) => ({ note, seq: event.seq })))
  const earlier = news.length - NEWS_MAX
  const more = earlier > 0 ? [`${earlier} more before: pawl log ${run} --type workspace.observed`] : []
  return [...more, ...news.slice(-NEWS_MAX).map(({ note, seq }) => `${note} (fact ${seq}).`)]
}

const NEWS_MAX = 3
