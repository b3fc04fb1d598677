import type { RunConfig } from '../core/run-config.ts'
import { redactJson } from '../secrets/filter.ts'
import type { Fact } from '../core/event.ts'
import { hasSecretHint } from '../secrets/hint.ts'
import { canonical } from './canonical.ts'
import { PawlError } from '../core/pawl-error.ts'
import { isNameOfKnown } from '../secrets/known-values.ts'

/** Redacts facts. Returns a promise only if something in them may be a secret: most facts need not wait. */
export function redactFacts(facts: readonly Fact[]): readonly Fact[] | Promise<readonly Fact[]> {
  let unknown = ''
  const clean = facts.map((fact) => {
    if (cleanTexts(fact)) return fact
    const texts = { by: canonical(fact.by), data: canonical(fact.data) }
    unknown += texts.by + texts.data
    return { ...fact, [CLEAN]: { fact, texts } }
  })
  // All at once: one look at a longer text is cheaper than several at short ones.
  return hasSecretHint(unknown) ? Promise.all(facts.map((each) => redactFact(each))) : clean
}

/** Redacts a fact's author and data. Throws `run.secret-in-config` for a configuration that would not be the same without its secrets. */
export async function redactFact<Type extends Fact>(fact: Type): Promise<Type> {
  if (cleanTexts(fact) || !hasSecretHint(canonical([fact.by, fact.data]))) return fact
  const redacted = { ...fact, by: await redactJson(fact.by), data: await redactJson(fact.data) }
  if ('config' in fact.data && 'config' in redacted.data) requireWholeConfig(fact.data.config, redacted.data.config)
  return redacted
}

/** Marks facts that were found clean, and copies of them: a store need not look again after the engine did, nor write them out again. */
const CLEAN = Symbol('clean')

interface Clean {
  readonly [CLEAN]?: { readonly fact: Fact; readonly texts: FactTexts }
}

/** The canonical texts of a fact's author and data. */
export interface FactTexts {
  readonly by: string
  readonly data: string
}

/** The texts of a fact that was found clean. */
export function cleanTexts(fact: Fact & Clean): FactTexts | undefined {
  const known = fact[CLEAN]
  return known?.fact.data === fact.data && known.fact.by === fact.by ? known.texts : undefined
}

/** Refuses to start or resume a run (`begun`: its name) that would not be the same without the secrets in its configuration. */
export async function requireKeptWhole(config: RunConfig, begun?: string): Promise<void> {
  requireWholeConfig(config, await redactJson(config), begun)
}

/**
 * Refuses a configuration if replacing its secrets would change what the run consists of, or has done so: a command, a path, a pattern, the
 * name of a part. Whoever resumed the run would start something else. Words, such as the goal, may lose secrets. `begun`: the name of a run
 * that began. An imported run is never resumed.
 */
function requireWholeConfig(given: RunConfig, redacted: RunConfig, begun?: string): void {
  if (given.loop.name === 'imported') return
  const changes = changesIn(given, redacted, '', false)
  // A check is often named after its command.
  const change = changes.find(({ place }) => /^checks.*\.command$/.test(place)) ?? changes[0]
  if (!change) return
  const which = begun === undefined ? 'The run is refused' : `Run ${begun} is refused (pawl abort ${begun} ends it)`
  throw new PawlError('run.secret-in-config', `${which} because ${change.place} holds ${reasonFor(change)}`, {
    value: change.place,
  })
}

interface Change {
  /** `checks[0].command`. */
  readonly place: string
  /** The variable or the kind of secret. */
  readonly secret: string
  /** Set if the secret was replaced before. */
  readonly isGone: boolean
}

/** Fields that say what is started, where, and what parts are called, wherever in the settings they are. */
const PARTS = new Set(
  'arguments baseUrl cachePath coders command completionPromises environment file id ignore model module name path paths pattern program promises protect stopOn store taskId validatorId'.split(
    ' ',
  ),
)

function changesIn(given: unknown, redacted: unknown, place: string, isPart: boolean): readonly Change[] {
  if (typeof given === 'string')
    return isPart && (given !== redacted || MARKER.test(given)) ? [changed(place, given, redacted)] : []
  if (typeof given !== 'object' || given === null) return []
  const after = Object.entries(redacted as object)
  return Object.entries(given).flatMap(([name, value], index) => {
    const [nameAfter = '', valueAfter] = after[index] ?? []
    const inner = placeOf(place, name, Array.isArray(given))
    // A program may set secret variables: it has them when it resumes its run, and the journal doesn't.
    if (name === 'variables') return changesIn(value, value, inner, true)
    if (name !== nameAfter) return [changed(`${place} (a name in it)`, name, nameAfter)]
    return changesIn(value, valueAfter, inner, isPart || PARTS.has(name))
  })
}

/** As users write it: without `settings`, and a command as one line. */
function placeOf(place: string, name: string, isIndex: boolean): string {
  if (name === 'settings' || (isIndex && place.endsWith('.command'))) return place
  if (isIndex) return `${place}[${name}]`
  return place === '' ? name : `${place}.${name}`
}

function changed(place: string, given: string, redacted: unknown): Change {
  return { place, secret: MARKER.exec(String(redacted))?.[1] ?? 'secret', isGone: given === redacted }
}

const MARKER = /\[redacted: ([^\]\n]+)\]/

function reasonFor({ secret, isGone }: Change): string {
  if (isGone)
    return `"[redacted: ${secret}]", which replaced a secret in the journal: resume with the program that started the run, give the part again (such as --check), or start another run.`
  const fix = 'Let the command read it from a variable whose name is in `environment`'
  return isNameOfKnown(secret)
    ? `the value of ${secret}, which counts as a secret, and the journal keeps no secrets. ${fix}, or, if it is not secret, start Pawl without that variable: env -u ${secret} pawl …`
    : `what looks like a secret (${secret}), and the journal keeps no secrets. ${fix}.`
}
