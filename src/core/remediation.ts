import type { State } from './state.ts'
import type { Trip } from './trip.ts'

/** What a person can do before answering, in order: go back to the best verified state, then what helps against each guard. */
export function remediation(state: State, trips: readonly Trip[]): readonly string[] {
  const advice = trips.flatMap((trip) => adviceOn(trip, state.run))
  return [...wayBack(state), ...new Set(advice)].slice(0, STEPS_MAX)
}

const STEPS_MAX = 4

/** Nothing where the files are the best there was. */
function wayBack(state: State): readonly string[] {
  const { run, best, base, tree, recent } = state
  if (!best || best.tree === tree?.tree) return []
  const isWorseNow = (recent.at(-1)?.verdict.score ?? 0) < best.score
  if (!isWorseNow && isFirstOfEqual(state))
    return base?.tree === tree?.tree
      ? []
      : [
          `No iteration was better than another: unless what is there is worth keeping, begin again from before any work: pawl restore ${run} 0`,
        ]
  const which = best.iteration === 0 ? 'the state before any work' : `iteration ${best.iteration}`
  const when = isWorseNow ? '' : ', unless what came after it is worth keeping'
  return [`Go back to ${which}, the best verified state${when}: pawl restore ${run} ${best.iteration}`]
}

/** The best failed, and is called so only because it came first. */
function isFirstOfEqual({ best, baseline }: State): boolean {
  if (!best || best.passed || best.iteration !== 1) return false
  return baseline === undefined || baseline.verdict.score >= best.score
}

/** A guard made of others is helped by what helps its parts; of one that is not ours only its own hint is known. */
function adviceOn({ guard, hint }: Trip, run: string): readonly string[] {
  const names = guard.match(/\w+/g) ?? []
  const known = names.flatMap((name) => (Object.hasOwn(STEPS, name) ? [STEPS[name]?.(run) ?? ''] : []))
  return known.length === 0 ? [hint] : known
}

const STEPS: Readonly<Record<string, (run: string) => string>> = {
  maxIterations: (run) =>
    `See whether it gets better from iteration to iteration (pawl show ${run}): if so, more of them help; if not, say what it does not know, or ask for less.`,
  budget: (run) =>
    `See where it went (pawl show ${run}): a smaller goal, a quicker check or another agent makes an iteration cheaper.`,
  deadline: (run) => `Look at what is done by now (pawl diff ${run} --total): accept it, or give it a later deadline.`,
  circuitBreaker: (run) =>
    `Read what fails now and what was tried (pawl show ${run}), find the one thing the agent cannot know, and tell it with the answer.`,
  sameFailure: () =>
    'Run the failing check once yourself and read all that it prints: tell the agent the cause that it does not see.',
  thrashing: (run) =>
    `Look at what went to and fro in the files named above (pawl diff ${run}): say which of the versions is meant, or that the cause lies elsewhere.`,
  noProgress: () =>
    'Find out whether the edited code runs at all in the failing test: a stale build, another copy or a cached result is a common cause.',
  oscillation: () => 'Two demands may contradict each other: decide which one counts, and say so with the answer.',
  stalledDiff: (run) =>
    `The same change comes again (pawl diff ${run}): say that it is not the way, and name another place or another approach.`,
  emptyIterations: () =>
    'See whether the agent may and can edit (its permissions, its key, its working folder): pawl doctor. Then say what the first edit should be.',
  spinningText: () => 'The agent talks in circles: begin with a fresh context, a smaller goal or another model.',
  repeatedAction: () =>
    'The agent asks the same again: give it what it looks for with the answer, or mend the tool that says nothing.',
  qualityRegression: () => 'What came after the best state made it worse: go on from there, and name what must stay as it was.',
  worthContinuing: () =>
    'Loops that stood like this seldom came to a good end: make the goal smaller, tell the agent what it does not know, or put another one to work.',
  tampering: (run) => `Look at the lines named above (pawl diff ${run}): were they meant to change?`,
}
