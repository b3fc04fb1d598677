import { ownOddsIn, withOwnOdds } from '../guards/odds/with-own-odds.ts'
import type { RunConfig } from '../core/run-config.ts'
import type { State } from '../core/state.ts'
import type { Store } from '../stores/store.ts'
import { ownHistory } from './own-history.ts'

/**
 * The configuration of a run with what the project's runs before it taught about the odds. It is part of the run from its beginning on: a
 * run that is known keeps what it began with, so that going on with it changes nothing.
 */
export async function withHistory(
  config: RunConfig,
  known: State | undefined,
  store: Store,
  storePath: string,
): Promise<RunConfig> {
  const own = known ? ownOddsIn(known.given.guards) : await ownHistory(store, storePath)
  return { ...config, guards: withOwnOdds(config.guards, own) }
}
