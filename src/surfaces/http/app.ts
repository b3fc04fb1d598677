import { createHash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { extname, join, resolve, sep } from 'node:path'
import { type Context, Hono, type MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { checkedRunId } from '../../core/names.ts'
import { isDamage, PawlError } from '../../core/pawl-error.ts'
import { redactText } from '../../secrets/filter.ts'
import { ACT_ENDPOINTS, takenAnswer } from './act-endpoints.ts'
import type { Problem } from './contract.ts'
import { deviceEndpoints } from './device-endpoints.ts'
import type { Devices } from './devices.ts'
import { type Caller, type Endpoint, type HttpProject, readRequest } from './endpoint.ts'
import type { Gate } from './gate.ts'
import { linkRoutes } from './link-pages.ts'
import type { Notices } from './notices.ts'
import { openApi } from './openapi.ts'
import { READ_ENDPOINTS } from './read-endpoints.ts'
import { STREAM_ENDPOINTS } from './streams.ts'

export interface AppOptions {
  readonly project: HttpProject
  readonly gate: Gate
  readonly devices: Devices
  readonly notices: Notices
  /** The folder with the page's built files; absent: the API only. */
  readonly page?: string
  /** Where people reach the server, for links. */
  readonly url: () => string
}

/** The API, the page and the few addresses around them. */
export function httpApp(options: AppOptions): Hono {
  const { project, gate, devices, notices, page, url } = options
  const endpoints = [...READ_ENDPOINTS, ...STREAM_ENDPOINTS, ...ACT_ENDPOINTS, ...deviceEndpoints(devices, url, notices)]
  const app = new Hono()
  app.onError((failure, context) => problemOf(failure, context, project))
  app.use(securityHeaders)
  app.use(async (context, next) => {
    gate.requireOwnSite(context)
    await next()
  })
  app.use(bodyLimit({ maxSize: 64 * 1024, onError: () => Promise.reject(tooLarge()) }))
  const kept = new KeptAnswers()
  app.get('/api/v1/openapi.json', (context) => context.json(openApi(endpoints)))
  for (const each of endpoints) {
    app.on(each.method, `/api/v1${each.path}`, async (context) => {
      const caller = gate.callerOf(context)
      if (each.method !== 'POST') return answerOf(await callOf(each, context, project, caller, {}), context)
      const body = await jsonBody(context)
      return kept.once(context, caller, body, async () => answerOf(await callOf(each, context, project, caller, body), context))
    })
  }
  app.all('/api/*', () => {
    throw new PawlError('serve.unknown', 'There is no such address: /api/v1/openapi.json lists them.')
  })
  linkRoutes(app, options)
  app.get('*', (context) => admitted(context, gate) ?? pageFile(context, page))
  return app
}

/** A link with the token becomes a cookie, and the token leaves the address bar. */
function admitted(context: Context, gate: Gate): Response | undefined {
  const token = context.req.query('token')
  if (token === undefined) return undefined
  if (!gate.admit(context, token))
    throw new PawlError('serve.unauthorized', 'That link is no longer valid: `pawl serve` prints the present one.')
  const target = new URL(context.req.url)
  target.searchParams.delete('token')
  return context.redirect(`${target.pathname.replace(/^\/+/, '/')}${target.search}`, 303)
}

async function callOf(each: Endpoint, context: Context, project: HttpProject, caller: Caller, body: unknown): Promise<unknown> {
  const { run = '', n = '', sha256 = '', id = '' } = context.req.param() as Readonly<Record<string, string>>
  return each.call({
    project,
    // It is a file's name in some places.
    run: each.path.includes('/:run') ? runNamed(run) : '',
    param: n || sha256 || id,
    query: readRequest(each.query, context.req.query()) as never,
    body: (each.method === 'POST' ? readRequest(each.body, body) : {}) as never,
    caller,
    context,
  })
}

function runNamed(text: string): string {
  try {
    return checkedRunId(text)
  } catch (cause) {
    throw new PawlError('run.unknown', `There is no run "${text.slice(0, 100)}".`, { cause })
  }
}

function answerOf(result: unknown, context: Context): Response {
  return result instanceof Response ? result : context.json(result as object)
}

/** A page of another site can't send this type without asking first. */
async function jsonBody(context: Context): Promise<unknown> {
  const type = context.req.header('content-type') ?? ''
  if (!/^application\/json\b/.test(type)) throw new PawlError('usage.content-type', 'Send the body as application/json.')
  try {
    const text = await context.req.text()
    return text === '' ? {} : JSON.parse(text)
  } catch {
    throw new PawlError('usage.body', 'The body is not JSON.')
  }
}

function tooLarge(): PawlError {
  return new PawlError('serve.too-large', 'The request is larger than 64 KB.')
}

/** What requests with an `Idempotency-Key` were answered: the same one again gets the same answer, and does nothing twice. */
class KeptAnswers {
  readonly #answers = new Map<string, { readonly request: string; readonly answer: Promise<{ status: number; body: string }> }>()

  async once(context: Context, { device = '' }: Caller, body: unknown, act: () => Promise<Response>): Promise<Response> {
    const key = context.req.header('idempotency-key')
    if (key === undefined) return act()
    const place = `${device} ${key.slice(0, 200)}`
    const request = createHash('sha256')
      .update(`${context.req.path} ${JSON.stringify(body)}`)
      .digest('hex')
    const known = this.#answers.get(place)
    if (known && known.request !== request)
      throw new PawlError('usage.idempotency-key', 'That Idempotency-Key was used for another request: take a new one.')
    if (!known) {
      const answer = act().then(async (response) => ({ status: response.status, body: await response.text() }))
      this.#answers.set(place, { request, answer })
      // A failure may be tried again.
      answer.catch(() => this.#answers.delete(place))
      const [oldest] = this.#answers.keys()
      if (this.#answers.size > KEPT_MAX && oldest !== undefined) this.#answers.delete(oldest)
    }
    const answered = await (this.#answers.get(place) ?? { answer: undefined }).answer
    if (!answered) return act()
    return context.body(answered.body, answered.status as 200, { 'content-type': 'application/json' })
  }
}

const KEPT_MAX = 1000

/** Scripts, styles and images only from here, none inside the page; and the page in no other one. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; manifest-src 'self'; worker-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

const securityHeaders: MiddlewareHandler = async (context, next) => {
  await next()
  const { headers } = context.res
  headers.set('content-security-policy', POLICY)
  headers.set('x-content-type-options', 'nosniff')
  headers.set('referrer-policy', 'no-referrer')
  headers.set('cross-origin-opener-policy', 'same-origin')
  headers.set('cross-origin-resource-policy', 'same-origin')
  headers.set('x-frame-options', 'DENY')
  if (!headers.has('cache-control')) headers.set('cache-control', 'no-store')
}

/** An error as problem+json. What isn't meant for others is not told. */
async function problemOf(failure: Error, context: Context, project: HttpProject): Promise<Response> {
  const known = failure instanceof PawlError
  if (!known) process.stderr.write(`pawl: ${failure.stack ?? failure.message}\n`)
  const code = known ? failure.code : 'internal'
  const status = known ? statusOf(failure) : 500
  const run = context.req.param('run')
  const taken =
    status === 409 && code.startsWith('question.') && run ? await takenAnswer(project, run).catch(() => undefined) : undefined
  const problem: Problem = {
    type: `urn:pawl:problem:${code}`,
    title: TITLES[status] ?? 'Error',
    status,
    detail: known ? await redactText(failure.message) : 'This is a defect of Pawl; the terminal of `pawl serve` has the details.',
    code,
    ...(taken ? { answer: taken } : {}),
  }
  const more: Record<string, string> =
    status === 401 ? { 'www-authenticate': 'Bearer realm="pawl"' } : status === 429 ? { 'retry-after': '60' } : {}
  return context.body(JSON.stringify(problem), status as 400, { 'content-type': 'application/problem+json', ...more })
}

const TITLES: Readonly<Record<number, string>> = {
  400: 'Bad request',
  401: 'Not let in',
  403: 'Not allowed',
  404: 'Not found',
  409: 'Not possible now',
  410: 'Gone',
  413: 'Too large',
  421: 'Another name',
  422: 'Damaged',
  429: 'Too many requests',
  500: 'Internal error',
}

const STATUSES: readonly (readonly [status: number, codes: RegExp])[] = [
  [401, /^serve\.unauthorized$/],
  [403, /^(?:serve\.origin|serve\.no-drive|serve\.unseen|run\.own-work)$/],
  [404, /^(?:run\.unknown|run\.no-iteration|run\.no-research|text\.unknown|diff\.no-file|serve\.unknown|device\.unknown)$/],
  [409, /^(?:question\.(?:none|answered)|run\.(?:over|held|bound|same-folder|at-work|of-a-program|imported))$/],
  [410, /^link\./],
  [413, /^serve\.too-large$/],
  [421, /^serve\.host$/],
  [429, /^serve\.too-many$/],
  [400, /^(?:usage|question|setting|config|agent|check|loop|run\.bad-id|workspace)\b/],
]

function statusOf(error: PawlError): number {
  const { code } = error
  if (isDamage(error)) return 422
  return STATUSES.find(([, codes]) => codes.test(code))?.[0] ?? 500
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.json': 'application/json',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
}

/** A file of the page. Addresses of the page itself, which have no file, get its one document. */
function pageFile(context: Context, folder: string | undefined): Response {
  if (folder === undefined || !isFile(join(folder, 'index.html')))
    return context.text('The web page is not part of this build; the API is at /api/v1/openapi.json.\n', 404)
  const wanted = resolve(folder, `.${decoded(context.req.path)}`)
  // A name with `..` in it never leads out of the folder.
  const isInside = wanted.startsWith(`${resolve(folder)}${sep}`)
  const isAsset = isInside && isFile(wanted)
  if (!isAsset && extname(wanted) !== '') return context.text('Not found\n', 404)
  const file = isAsset ? wanted : join(folder, 'index.html')
  const isForever = isAsset && /[/\\]assets[/\\]/.test(file)
  return context.body(readFileSync(file), 200, {
    'content-type': TYPES[extname(file)] ?? 'application/octet-stream',
    'cache-control': isForever ? 'public, max-age=31536000, immutable' : 'no-cache',
  })
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path).replaceAll('\0', '')
  } catch {
    return '/'
  }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false
}
