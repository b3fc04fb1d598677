import type { Context } from 'hono'
import { PawlError } from '../../core/pawl-error.ts'
import { type GenericSchema, matching, type OutputOf, readAs, settingsSchema } from '../../schema/kinds.ts'
import { readArguments, type SettingsSchema } from '../../schema/read-options.ts'
import type { Peer } from '../../process/peer-process.ts'
import type { Store } from '../../stores/store.ts'
import type { RunCache } from './run-cache.ts'
import type { RunIndex } from './run-index.ts'

/** What the server serves. */
export interface HttpProject {
  readonly root: string
  readonly configPath: string
  readonly storePath: string
  readonly store: Store
  readonly index: RunIndex
  readonly runs: RunCache
  /** The program that starts and resumes runs, word by word; absent if the server only shows and answers. */
  readonly program?: readonly string[]
}

/** Who asks. */
export interface Caller {
  /** The name that goes into the journal with what they do. */
  readonly name: string
  /** The device they use; absent for a client with the server's own token. */
  readonly device?: string
  /** Who is at the other end of the connection, as far as this machine knows; only changes need it. */
  readonly peer: Peer
  /** Whether they may still read: a device can be locked out while it watches. */
  isIn(): boolean
}

/** One request, read. */
export interface Call<Query, Body> {
  readonly project: HttpProject
  readonly run: string
  /** What stands for `:n`, `:sha256` or `:id` in the address. */
  readonly param: string
  readonly query: Query
  readonly body: Body
  readonly caller: Caller
  readonly context: Context
}

/** One address of the API: what the reference and OpenAPI say about it, and what it does. */
export interface Endpoint<Query extends SettingsSchema = SettingsSchema, Body extends SettingsSchema = SettingsSchema> {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Below `/api/v1`, as hono reads it. */
  readonly path: string
  readonly about: string
  readonly query?: Query
  readonly body?: Body
  /** The name of the answer's type in `pawl/client`, and its fields as far as they are described. */
  readonly answers: string
  readonly answer?: GenericSchema
  /** Set for a stream of server-sent events. */
  readonly isStream?: true
  call(call: Call<OutputOf<Query>, OutputOf<Body>>): Promise<unknown>
}

/** An address whose query and body are known to the compiler. */
export function endpoint<const Query extends SettingsSchema = typeof NOTHING, const Body extends SettingsSchema = typeof NOTHING>(
  definition: Endpoint<Query, Body>,
): Endpoint {
  return definition as unknown as Endpoint
}

const NOTHING = settingsSchema({})

/** Reads the query or the body of a request by its schema. */
export function readRequest(schema: SettingsSchema | undefined, given: unknown): unknown {
  return readArguments('The request', schema ?? NOTHING, given)
}

/** A whole number in an address. */
export function countText(min: number, max: number) {
  const wanted = `a whole number from ${min} to ${max}`
  return readAs(matching(wanted, /^\d{1,15}$/), (text) => {
    const value = Number(text)
    if (value < min || value > max) throw new PawlError('usage.request', `${text} isn't ${wanted}.`, { value: text })
    return value
  })
}
