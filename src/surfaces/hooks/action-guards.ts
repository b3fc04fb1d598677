import type { Guard } from '../../core/guard.ts'
import { ladder } from '../../guards/ladder.ts'
import { repeatedAction } from '../../guards/repeated-action.ts'
import { recordedSettings } from '../../core/recorded-settings.ts'
import type { GuardSpec } from '../../core/run-config.ts'

/**
 * The guards of a run that look at single actions, alone or on a ladder; all others need the end of the iteration. Built here and not
 * by `guardFrom`, which loads every guard there is.
 */
export function actionGuards(specs: readonly GuardSpec[]): readonly Guard[] {
  return specs.flatMap((spec) => actionGuard(spec) ?? [])
}

function actionGuard({ name, settings, severity, parts = [] }: GuardSpec): Guard | undefined {
  if (name === 'repeatedAction') return repeatedAction(recordedSettings({ ...settings, severity }))
  const [inner] = name === 'ladder' ? actionGuards(parts) : []
  return inner && ladder(inner, recordedSettings(settings))
}
