import type {
  AnswerRequest,
  AnswerResult,
  Comparison,
  DeviceView,
  DiffView,
  EventsPage,
  FilePatch,
  GridView,
  IterationDetail,
  PairingView,
  Problem,
  ResearchResult,
  ResumeRequest,
  ReviewView,
  RestoreRequest,
  RunAnswer,
  RunListPage,
  SessionView,
  StartRequest,
  StartResult,
  StatsView,
} from './contract.ts'

export type * from './contract.ts'

export interface ClientOptions {
  /** Where `pawl serve` listens: `http://127.0.0.1:7296`. */
  readonly url: string
  /** The token of the link that `pawl serve` prints. A page that the server itself serves needs none. */
  readonly token?: string
  /** Default: the global `fetch`. */
  readonly fetch?: typeof fetch
}

/** An answer of the server that isn't a success. */
export class HttpProblem extends Error {
  readonly problem: Problem

  constructor(problem: Problem) {
    super(problem.detail)
    this.name = 'HttpProblem'
    this.problem = problem
  }

  get status(): number {
    return this.problem.status
  }

  get code(): string {
    return this.problem.code
  }
}

/** Values of a query; those that are absent are left out. */
type Query = Readonly<Record<string, string | number | undefined>>

/** Filters of the list of runs. */
export interface RunListQuery {
  readonly status?: string
  readonly loop?: string
  readonly agent?: string
  readonly q?: string
  readonly sort?: string
  readonly cursor?: string
  readonly limit?: number
}

/** A part of the tests by iterations. */
export interface GridRequest {
  readonly fate?: string
  readonly q?: string
  readonly from?: number
  readonly to?: number
  readonly offset?: number
  readonly limit?: number
}

/** An event of `GET /runs/RUN/stream`: one of the journal, or lines of what the agent does now. */
export type StreamEvent =
  | { readonly kind: 'journal'; readonly seq: number; readonly event: EventsPage['events'][number] }
  | { readonly kind: 'activity'; readonly lines: readonly string[] }

/**
 * A client of `pawl serve`, for Node, browsers and anything else with `fetch`.
 *
 * @example
 * const pawl = createClient({ url: 'http://127.0.0.1:7296', token })
 * for (const { run, question } of (await pawl.runs({ status: 'escalated' })).items) {
 *   console.log(run, question?.text)
 *   await pawl.answer(run, { choice: '1', resume: true })
 * }
 */
export function createClient({ url, token, fetch: ask = fetch }: ClientOptions) {
  const base = `${url.replace(/\/+$/, '')}/api/v1`
  const identity: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` }

  async function request<Answer>(method: string, path: string, query: Query = {}, body?: object, key?: string): Promise<Answer> {
    const response = await ask(`${base}${path}${searchOf(query)}`, {
      method,
      headers: {
        ...identity,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(key === undefined ? {} : { 'idempotency-key': key }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new HttpProblem((await response.json()) as Problem)
    return (await response.json()) as Answer
  }
  const get = <Answer>(path: string, query?: Query): Promise<Answer> => request<Answer>('GET', path, query)
  /** The same key twice does the same thing once. */
  const post = <Answer>(path: string, body: object, key: string = crypto.randomUUID()): Promise<Answer> =>
    request<Answer>('POST', path, {}, body, key)

  return {
    session: () => get<SessionView>('/session'),
    runs: (query: RunListQuery = {}) => get<RunListPage>('/runs', { ...query }),
    run: (run: string) => get<RunAnswer>(at(run)),
    iteration: (run: string, iteration: number) => get<IterationDetail>(at(run, `/iterations/${iteration}`)),
    diff: (run: string, iteration: number) => get<DiffView>(at(run, `/iterations/${iteration}/diff`)),
    fileDiff: (run: string, iteration: number, file: string) =>
      get<FilePatch>(at(run, `/iterations/${iteration}/diff`), { file }),
    grid: (run: string, query: GridRequest = {}) => get<GridView>(at(run, '/grid'), { ...query }),
    events: (run: string, query: { readonly after?: number; readonly limit?: number } = {}) =>
      get<EventsPage>(at(run, '/events'), { ...query }),
    research: (run: string) => get<ResearchResult>(at(run, '/research')),
    review: (run: string) => get<ReviewView>(at(run, '/review')),
    stats: () => get<StatsView>('/stats'),
    compare: (a: string, b: string) => get<Comparison>('/compare', { a, b }),
    devices: () => get<{ readonly devices: readonly DeviceView[] }>('/devices'),
    revoke: (id: string) => request<{ readonly id: string }>('DELETE', `/devices/${encodeURIComponent(id)}`),
    pairingCode: () => post<PairingView>('/devices/code', {}),
    start: (wanted: StartRequest, key?: string) => post<StartResult>('/runs', wanted, key),
    answer: (run: string, answer: AnswerRequest, key?: string) => post<AnswerResult>(at(run, '/answer'), answer, key),
    waive: (run: string, guard: string, note?: string) =>
      post<{ readonly run: string; readonly guard: string }>(at(run, '/waive'), {
        guard,
        ...(note === undefined ? {} : { note }),
      }),
    abort: (run: string, reason?: string) =>
      post<{ readonly run: string; readonly status: string }>(at(run, '/abort'), reason === undefined ? {} : { reason }),
    restore: (run: string, wanted: RestoreRequest = {}) => post<Readonly<Record<string, unknown>>>(at(run, '/restore'), wanted),
    resume: (run: string, wanted: ResumeRequest = {}, key?: string) => post<StartResult>(at(run, '/resume'), wanted, key),
    /** A run's events as they happen, after `after`, until the signal is aborted or the connection ends. */
    async *stream(run: string, after = 0, signal?: AbortSignal): AsyncGenerator<StreamEvent, void, void> {
      const response = await ask(`${base}${at(run, '/stream')}?after=${after}`, {
        headers: identity,
        ...(signal ? { signal } : {}),
      })
      if (!response.ok || !response.body) throw new HttpProblem((await response.json()) as Problem)
      for await (const { id, event, data } of serverEvents(response.body)) {
        if (event === 'activity') yield { kind: 'activity', lines: JSON.parse(data) as string[] }
        else if (data !== '') yield { kind: 'journal', seq: Number(id), event: JSON.parse(data) }
      }
    },
  }
}

/** What `createClient` gives. */
export type PawlClient = ReturnType<typeof createClient>

function at(run: string, rest = ''): string {
  return `/runs/${encodeURIComponent(run)}${rest}`
}

function searchOf(query: Query): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  )
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`
}

async function* serverEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<{ id: string; event: string; data: string }> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of body) {
    rest += decoder.decode(chunk, { stream: true })
    const blocks = rest.split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const fields = { id: '', event: 'message', data: '' }
      for (const line of block.split('\n')) {
        const [, name = '', value = ''] = /^(id|event|data): ?(.*)$/.exec(line) ?? []
        if (name !== '') fields[name as keyof typeof fields] = value
      }
      yield fields
    }
  }
}
