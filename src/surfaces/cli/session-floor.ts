import { isDeepStrictEqual } from 'node:util'
import { PawlError } from '../../core/pawl-error.ts'
import { PROOF_LEVELS, type ProofLevel } from '../../core/proof.ts'
import { FLAKY_POLICIES, type FlakyPolicy, type GuardSpec, type PartSpec, type RunConfig } from '../../core/run-config.ts'
import { isReview } from '../../loops/shared/checks.ts'
import { snakeCase } from '../../schema/file-kinds.ts'
import type { PawlConfig } from '../../settings/pawl-config.ts'
import { proofConfig } from '../../settings/proof-config.ts'
import { reviewSpecs } from '../../settings/reviewers.ts'
import { givenCheckSpecs, type StartFlags } from './run-settings.ts'

/**
 * A run that an agent's session works on, with all that pawl.yaml asks for: the agent itself may have called the command, so its flags
 * add checks, protected files and lower limits, and replace nothing. What is no check of pawl.yaml proves at most `self-tested`.
 */
export function withFloor(given: RunConfig, flags: StartFlags, written: PawlConfig | undefined): RunConfig {
  const loose = looseFlag(flags, written)
  if (loose) {
    const lines = [
      `${loose.flag} can't be used with --bind: the agent itself may have called this command.`,
      'What holds for its session is in pawl.yaml. Write there:',
      `  ${loose.line}`,
    ]
    throw new PawlError('usage.floor', lines.join('\n'), { value: loose.flag })
  }
  const floor = floorChecks(written)
  const added = given.checks.filter((spec) => !floor.some((each) => isSameCheck(each, spec)))
  const taken = added.find((spec) => floor.some((each) => nameOf(each) === nameOf(spec)))
  if (taken)
    throw new PawlError(
      'usage.check-name',
      `pawl.yaml has another check called "${nameOf(taken)}": give this one a name of its own.`,
    )
  const own = added.filter((spec) => !isReview(spec)).map(nameOf)
  const protect = [...new Set([...(written?.protect ?? []), ...(given.protect ?? [])])]
  const { proof: _given, ...others } = given
  return {
    ...others,
    checks: [...floor, ...added].toSorted((one, other) => Number(isReview(one)) - Number(isReview(other))),
    guards: given.guards.map((spec) => limitedGuard(spec, written)),
    ...(protect.length === 0 ? {} : { protect }),
    ...proofConfig(written, {
      ...(flags.requireProof === undefined ? {} : { require: flags.requireProof as ProofLevel }),
      ...(flags.flaky === undefined ? {} : { flaky: flags.flaky as FlakyPolicy }),
    }),
    ...(own.length === 0 ? {} : { ownChecks: own }),
  }
}

/** What a run lacks of what pawl.yaml asks for, in words; nothing if it has all of it. */
export function belowFloor(config: RunConfig, written: PawlConfig | undefined): string | undefined {
  const missing = floorChecks(written).find((spec) => !config.checks.some((each) => isSameCheck(each, spec)))
  if (missing) return `the check "${nameOf(missing)}"`
  const open = written?.protect?.find((glob) => !config.protect?.includes(glob))
  if (open !== undefined) return `the protection of ${open}`
  const higher = config.guards.find((spec) => !isDeepStrictEqual(limitedGuard(spec, written), spec))
  return higher && `the limit of ${higher.name}`
}

function floorChecks(written: PawlConfig | undefined): readonly PartSpec[] {
  const checks = givenCheckSpecs({}, written)
  return [...checks, ...reviewSpecs({}, written, checks)]
}

interface LooseFlag {
  readonly flag: string
  /** The same in pawl.yaml. */
  readonly line: string
}

/** The first flag that would loosen what pawl.yaml says. */
function looseFlag(flags: StartFlags, written: PawlConfig | undefined): LooseFlag | undefined {
  const { guard, mayChange, acceptUnproven, requireProof, flaky, reviewer, prepare, isolation, roleIsolation } = flags
  if (guard !== undefined) return { flag: '--guard', line: `guards: { ${guard.map(asEntry).join(', ')} }` }
  if (isolation !== undefined) return { flag: '--isolation', line: `isolation: ${isolation}` }
  if (roleIsolation !== undefined)
    return { flag: '--role-isolation', line: `role_isolation: { ${roleIsolation.map(asEntry).join(', ')} }` }
  // What prepares a copy could also change its tests.
  if (prepare !== undefined) return { flag: '--prepare', line: `prepare: ${JSON.stringify(prepare)}` }
  if (mayChange !== undefined) return { flag: '--may-change', line: `may_change: ${JSON.stringify(mayChange)}` }
  if (acceptUnproven === true) return { flag: '--accept-unproven', line: 'require_proof: unproven' }
  if (requireProof !== undefined && rankOf(requireProof) > rankOf(written?.requireProof ?? 'reviewed'))
    return { flag: '--require-proof', line: `require_proof: ${requireProof}` }
  if (flaky !== undefined && lenience(flaky) > lenience(written?.flaky ?? 'retry'))
    return { flag: '--flaky', line: `flaky: ${flaky}` }
  const isOther = reviewer !== undefined && written?.reviewer !== undefined && reviewer !== written.reviewer
  return isOther ? { flag: '--reviewer', line: `reviewer: ${reviewer}` } : undefined
}

/** `noProgress=off` as pawl.yaml has it. */
function asEntry(guard: string): string {
  const [name = '', ...value] = guard.split('=')
  return `${snakeCase(name.trim().replaceAll('-', '_'))}: ${value.join('=').trim()}`
}

function rankOf(level: string): number {
  return PROOF_LEVELS.indexOf(level as ProofLevel)
}

function lenience(policy: string): number {
  return FLAKY_POLICIES.indexOf(policy as FlakyPolicy)
}

/** With the limits of pawl.yaml if they are lower; 0 is no limit. */
function limitedGuard(spec: GuardSpec, written: PawlConfig | undefined): GuardSpec {
  const limits: Readonly<Record<string, Readonly<Record<string, number | undefined>>>> = {
    maxIterations: {
      iterationsMax: written?.maxIterations,
      ...(written?.maxIterations !== undefined &&
        spec.settings['extendWhileImproving'] !== undefined && {
          extendWhileImproving: Math.max(written.maxIterations, written.extendWhileImproving ?? 0),
        }),
    },
    budget: {
      costUsdMax: written?.budgetUsd,
      tokensMax: written?.budgetTokens,
      durationMsMax: written?.budgetTimeMs,
      waitMsMax: written?.maxWaitMs,
    },
  }
  const lower = Object.entries(limits[spec.name] ?? {}).flatMap(([name, limit = 0]) => {
    const present = Number(spec.settings[name] ?? 0)
    return limit > 0 && (present === 0 || present > limit) ? [[name, limit] as const] : []
  })
  return lower.length === 0 ? spec : { ...spec, settings: { ...spec.settings, ...Object.fromEntries(lower) } }
}

/** The same command or rule, whatever it is called and however long it may take. */
function isSameCheck(one: PartSpec, other: PartSpec): boolean {
  return isDeepStrictEqual(essence(one), essence(other))
}

function essence({ name, settings: { name: _called, timeoutMs: _limit, rule: _mark, ...settings } }: PartSpec): unknown {
  return { name, settings }
}

function nameOf({ settings }: PartSpec): string {
  return String(settings['name'])
}
