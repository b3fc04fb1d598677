import type { Fault } from '../../core/event-data.ts'
import type { Instant } from '../../core/event.ts'
import { redactedLine } from '../../secrets/filter.ts'
import { CONNECTION_FAILED, troubleOfError } from '../provider-trouble.ts'

export interface ModelTrouble {
  readonly fault: Fault
  readonly message: string
  readonly fix?: string
  readonly retryAt?: Instant
}

/** Whose fault it is that a model could not be asked. Read off the error's fields: its classes differ from version to version. */
export async function modelTrouble(thrown: unknown, name: string, now: Instant): Promise<ModelTrouble> {
  const error = innermost(thrown)
  const { statusCode, responseBody, responseHeaders, data } = error
  const source = typeof responseBody === 'string' ? responseBody : ''
  const status = typeof statusCode === 'number' ? { status: statusCode } : {}
  const isLost = statusCode === undefined && isUnreachable(error)
  const code = isLost ? CONNECTION_FAILED : codeIn(data)
  const said = { message: await redactedLine(error.message, 500), source, ...status, ...(code === undefined ? {} : { code }) }
  const trouble = await troubleOfError({ ...said, message: error.message }, { name, wayIn: WAY_IN }, now)
  const retryAt = retryAfter(responseHeaders, now)
  if (trouble) return trouble.fault === 'provider-limit' && retryAt !== undefined ? { ...trouble, retryAt } : trouble
  if (error.name === 'AI_LoadAPIKeyError' || error.name === 'AI_LoadSettingError')
    return { fault: 'config', message: said.message, fix: 'Set the variable that it names, then resume.' }
  if (error.name === 'AI_NoSuchModelError' || statusCode === 404) {
    const message = `The provider does not have what ${name} asks for: ${said.message}`
    return { fault: 'config', message, fix: 'Correct the name of the model or the address of the provider.' }
  }
  return { fault: 'agent', message: `${name} failed: ${said.message}` }
}

const WAY_IN = 'Give the model a valid key (of a model behind an address: in the variable that `key` names)'

interface ModelError {
  readonly name: string
  readonly message: string
  readonly statusCode?: unknown
  readonly responseBody?: unknown
  readonly responseHeaders?: unknown
  readonly data?: unknown
  readonly cause?: unknown
  readonly code?: unknown
}

/** After several tries the SDK wraps the last error. */
function innermost(thrown: unknown): ModelError {
  const { lastError } = (thrown ?? {}) as { readonly lastError?: unknown }
  if (lastError !== undefined) return innermost(lastError)
  return thrown instanceof Error ? (thrown as ModelError) : { name: '', message: String(thrown) }
}

function codeIn(data: unknown): string | undefined {
  const { error } = (data ?? {}) as { readonly error?: { readonly code?: unknown; readonly type?: unknown } }
  return [error?.code, error?.type].find((each) => typeof each === 'string')
}

function isUnreachable({ cause, code, message }: ModelError): boolean {
  const { code: inner } = (cause ?? {}) as { readonly code?: unknown }
  return UNREACHABLE.test(String(code ?? inner ?? '')) || /^Cannot connect to API|^fetch failed/.test(message)
}

const UNREACHABLE = /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ECONNRESET|EHOSTUNREACH|UND_ERR_\w+)$/

/** In seconds, or a date. */
function retryAfter(headers: unknown, now: Instant): Instant | undefined {
  const value = (headers as Readonly<Record<string, unknown>> | undefined)?.['retry-after']
  if (typeof value !== 'string' || value.trim() === '') return undefined
  const seconds = Number(value)
  const at = Number.isFinite(seconds) ? now + seconds * 1000 : Date.parse(value)
  return Number.isFinite(at) && at > now ? at : undefined
}
