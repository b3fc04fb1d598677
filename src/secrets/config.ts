import { PawlError } from '../core/pawl-error.ts'
import type { RunConfig } from '../core/run-config.ts'
import { isNameOfKnown } from './known-values.ts'

/**
 * Refuses a configuration of which taking secrets out would change what the run is made of: a command, a path, a pattern, the name of a part.
 * Whoever goes on with the run would start something else. So it is where a secret was taken out before. Words, such as the goal, may lose
 * secrets; an imported run is never gone on with.
 */
export function requireWholeConfig(given: RunConfig, redacted: RunConfig, begun?: string): void {
  if (given.loop.name === 'imported') return
  const changes = changesIn(given, redacted, '', false)
  // A check is often called after its command.
  const told = changes.find(({ place }) => /^checks.*\.command$/.test(place)) ?? changes[0]
  if (told) throw refused(told, begun)
}

interface Change {
  /** `checks[0].command`. */
  readonly place: string
  /** The variable or the kind of secret. */
  readonly secret: string
  /** Set where only its mark is there any more. */
  readonly isGone: boolean
}

/** Fields that say what is started, where, and what parts are called, wherever in the settings they stand. */
const MADE_OF = new Set([
  'arguments',
  'baseUrl',
  'cachePath',
  'coders',
  'command',
  'completionPromises',
  'environment',
  'file',
  'id',
  'ignore',
  'model',
  'module',
  'name',
  'path',
  'paths',
  'pattern',
  'program',
  'promises',
  'protect',
  'stopOn',
  'store',
  'taskId',
  'validatorId',
])

function changesIn(given: unknown, redacted: unknown, place: string, isMadeOf: boolean): readonly Change[] {
  if (typeof given === 'string')
    return isMadeOf && (given !== redacted || MARKER.test(given)) ? [changed(place, given, redacted)] : []
  if (typeof given !== 'object' || given === null) return []
  const after = Object.entries(redacted as object)
  return Object.entries(given).flatMap(([name, value], index) => {
    const [nameAfter = '', valueAfter] = after[index] ?? []
    if (name === 'variables') return takenOutOf(value, placeOf(place, name, false))
    if (name !== nameAfter) return [changed(`${place} (a name in it)`, name, nameAfter)]
    return changesIn(value, valueAfter, placeOf(place, name, Array.isArray(given)), isMadeOf || MADE_OF.has(name))
  })
}

/** `settings` is a word of ours, and a command is written as one line: whoever wrote it sees neither that nor its list of words. */
function placeOf(place: string, name: string, isIndex: boolean): string {
  if (isIndex && place.endsWith('.command')) return place
  if (isIndex) return `${place}[${name}]`
  if (name === 'settings') return place
  return place === '' ? name : `${place}.${name}`
}

/** A program may set secret variables: it has them when it goes on with its run, and the journal has not. */
function takenOutOf(variables: unknown, place: string): readonly Change[] {
  return Object.entries(variables ?? {}).flatMap(([name, value]) =>
    MARKER.test(String(value)) ? [changed(`${place}.${name}`, value, value)] : [],
  )
}

function changed(place: string, given: unknown, redacted: unknown): Change {
  return { place, secret: MARKER.exec(String(redacted))?.[1] ?? 'secret', isGone: given === redacted }
}

const MARKER = /\[redacted: ([^\]\n]+)\]/

function refused({ place, secret, isGone }: Change, begun: string | undefined): PawlError {
  const which = begun === undefined ? 'The run is refused' : `Run ${begun} is refused (pawl abort ${begun} ends it)`
  const message = `${which} because ${place} holds ${isGone ? gone(secret) : held(secret)}`
  return new PawlError('run.secret-in-config', message, { value: place })
}

function held(secret: string): string {
  const isKnown = isNameOfKnown(secret)
  const what = isKnown ? `the value of ${secret}, which counts as a secret` : `what looks like a secret (${secret})`
  const other = isKnown ? `, or, if it is no secret, start Pawl without that variable: env -u ${secret} pawl …` : '.'
  return `${what}: the journal leaves secrets out, so that the run could not be resumed as it is. Leave it out there and let the command read it from a variable whose name stands in \`environment\`${other}`
}

function gone(secret: string): string {
  return `"[redacted: ${secret}]", the mark of a secret that the journal left out: go on with the program that started the run, give the part anew (such as --check), or begin another run.`
}
