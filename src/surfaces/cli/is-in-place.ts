import type { Proposal } from '../../evidence/proposals.ts'
import type { GuardSpec } from '../../core/run-config.ts'
import type { GuardName } from '../../guards/default-guards.ts'
import { camelCase } from '../../schema/file-kinds.ts'
import type { PawlConfig } from '../../settings/pawl-config.ts'
import { guardOf } from './configured-guards.ts'
import { settingOf, withSetting } from './tune-proposals.ts'

/**
 * Whether a `pawl.yaml` says already what a proposal would write, or more of the same: a threshold that is higher still, a guard that is
 * off where it was to warn only. What the file does not name it does not say, whatever the default is.
 */
export function isInPlace(proposal: Proposal, config: PawlConfig): boolean {
  const setting = settingOf(proposal)
  if (!setting) return false
  if (setting.path[0] === 'max_iterations') return (config.maxIterations ?? 0) >= Number(setting.value)
  const given = config.guards?.[proposal.guard as GuardName]
  if (given === undefined) return false
  const [present] = guardOf(proposal.guard as GuardName, given)
  const [wanted] = withSetting([], setting)
  if (!present) return proposal.kind !== 'decide'
  if (!wanted) return false
  const isDeciding = decides(present.spec)
  if (proposal.kind !== 'decide' && !isDeciding) return true
  if (proposal.kind === 'warn' || !isDeciding) return false
  const names = typeof setting.value === 'object' ? Object.keys(setting.value).map(camelCase) : []
  const [is, to] = [settingsOf(present.spec), settingsOf(wanted)]
  return names.every((name) => {
    if (typeof to[name] !== 'number') return true
    return proposal.kind === 'raise' ? Number(is[name]) >= to[name] : Number(is[name]) <= to[name]
  })
}

function decides({ name, severity }: GuardSpec): boolean {
  return name === 'ladder' || severity === 'trip'
}

/** Those of a ladder are those of the guard in it. */
function settingsOf({ name, settings, parts = [] }: GuardSpec): GuardSpec['settings'] {
  return name === 'ladder' ? (parts[0]?.settings ?? {}) : settings
}
