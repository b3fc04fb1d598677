import { createHash } from 'node:crypto'
import type {
  CreateElicitationRequest,
  CreateElicitationResponse,
  ElicitationSchema,
  PermissionOptionKind,
  RequestPermissionRequest,
  ToolCallUpdate,
} from '@agentclientprotocol/sdk'
import { type AgentAsk, ASK_DETAIL_LENGTH_MAX, type AskOption, type AskOptionKind } from '../../core/agent-ask.ts'
import { shortened } from '../../core/wording.ts'
import type { AskAnswer, EffectContext } from '../../process/effect-context.ts'
import { cleanText } from '../../process/output.ts'
import type { Permissions } from '../agent-settings.ts'
import { redactText } from '../../secrets/filter.ts'

/** The policy's answer to this request; `undefined` if a person must be asked. Prefers answers for one time only. */
export function answerByPolicy(permissions: Permissions, { kind, options }: AgentAsk): string | undefined {
  const policy = typeof permissions === 'string' ? permissions : (permissions[kind] ?? permissions['default'] ?? 'ask')
  if (policy === 'ask') return undefined
  // A policy can't answer a real question, only decline.
  const isAllowed = policy === 'allow' && kind !== 'question'
  return (isAllowed ? allowing(options) : refusing(options))?.id
}

/** The narrowest option that allows. */
function allowing(options: AgentAsk['options']): AgentAsk['options'][number] | undefined {
  return options.find(({ kind }) => kind === 'allow-once') ?? options.find(({ kind }) => kind === 'allow-always')
}

/** The narrowest option that denies. */
function refusing(options: AgentAsk['options']): AgentAsk['options'][number] | undefined {
  return options.find(({ kind }) => kind === 'deny-once') ?? options.find(({ kind }) => kind === 'deny-always')
}

export interface AskedBy {
  readonly context: EffectContext
  readonly permissions: Permissions
  /** Pauses the agent's time limit while a person answers. */
  readonly pauseLimit: () => () => void
  /** Called if the agent's turn must end: nobody can answer now, or nothing can be asked. */
  readonly onStop: () => void
}

/** Answers an agent's requests one after another, until one of them has to wait for a person. */
export class AnsweredAsks {
  readonly #by: AskedBy
  #last: Promise<unknown> = Promise.resolve()
  /** The request that has to wait. */
  waiting: AgentAsk | undefined
  /** Why nothing more can be asked. */
  trouble: { readonly error: unknown } | undefined

  constructor(by: AskedBy) {
    this.#by = by
  }

  /** `undefined` if there is no answer now: the turn is over. */
  answer(ask: AgentAsk): Promise<AskAnswer | undefined> {
    const answer = this.#last.then(() => this.#answer(ask))
    this.#last = answer
    return answer
  }

  async #answer(ask: AgentAsk): Promise<AskAnswer | undefined> {
    if (this.waiting || this.trouble) return undefined
    const { context, permissions, pauseLimit, onStop } = this.#by
    const byPolicy = answerByPolicy(permissions, ask)
    if (!context.ask) {
      const option = byPolicy ?? refusing(ask.options)?.id
      context.progress(`${ask.title}: ${byPolicy === undefined ? 'refused, nobody can be asked here' : `answered by policy`}`)
      return option === undefined ? undefined : { option }
    }
    const goOn = pauseLimit()
    try {
      context.progress(`Asks: ${ask.title}`)
      const given = await context.ask(ask, byPolicy)
      if (!given) this.waiting = ask
      return given
    } catch (error) {
      this.trouble = { error }
      return undefined
    } finally {
      goOn()
      if (this.waiting || this.trouble) onStop()
    }
  }
}

/**
 * A request for permission to use a tool, as an `AgentAsk`. `call` is everything known about that call. The shown texts are redacted and
 * cleaned before they are cut; the id covers the original texts.
 */
export async function permissionAsk({ options }: RequestPermissionRequest, call: ToolCallUpdate): Promise<AgentAsk> {
  const kind = call.kind ?? 'other'
  const title = call.title ?? call.name ?? kind
  const paths = (call.locations ?? []).map(({ path }) => path).toSorted()
  const shownTitle = await shownLine(title)
  const detail = cut(await detailOf(call, shownTitle))
  return {
    // Without the content of an edit: asked again it is seldom exactly the same, and the checks look at it.
    id: idOf([kind, title, paths, call.rawInput ?? null]),
    kind,
    title: shownTitle,
    ...(detail === '' ? {} : { detail }),
    options: await labelled(
      options.map(({ optionId, name, kind: meaning }) => ({ id: optionId, label: name, kind: KINDS[meaning] })),
    ),
  }
}

const KINDS: Readonly<Record<PermissionOptionKind, AskOptionKind>> = {
  allow_once: 'allow-once',
  allow_always: 'allow-always',
  reject_once: 'deny-once',
  reject_always: 'deny-always',
}

const TITLE_LENGTH_MAX = 300

/** A question with a form, as an `AgentAsk`: the values of a single choice are options, anything else is answered in words. */
export async function elicitationAsk({ message, ...request }: CreateElicitationRequest): Promise<AgentAsk> {
  const schema = schemaOf(request)
  const [title = '', ...rest] = (await safeText(message)).split('\n')
  const detail = cut(rest.join('\n').trim())
  return {
    id: idOf(['question', message, schema]),
    kind: 'question',
    title: shortened(title, TITLE_LENGTH_MAX),
    ...(detail === '' ? {} : { detail }),
    options: [...(await labelled(answersOf(schema))), { id: DECLINE, label: 'Decline to answer', kind: 'deny-once' }],
  }
}

/** The answer in the form's shape. Words that don't fit decline. */
export function elicitationAnswer(
  request: CreateElicitationRequest,
  { option, note = '' }: AskAnswer,
): CreateElicitationResponse {
  if (option === DECLINE) return { action: 'decline' }
  const schema = schemaOf(request)
  const names = Object.keys(schema.properties ?? {})
  const text: Readonly<Record<string, string>> =
    option === WORDS ? wordsFor(names, note) : Object.fromEntries(names.map((name) => [name, option]))
  const content: Record<string, string | number | boolean> = {}
  for (const name of names) {
    const value = valueOf(schema, name, text[name])
    if (value !== undefined) content[name] = value
    else if (schema.required?.includes(name) || names.length === 1) return { action: 'decline' }
  }
  return { action: 'accept', content }
}

const DECLINE = 'decline'
const WORDS = 'words'

function schemaOf(request: object): ElicitationSchema {
  return ('requestedSchema' in request ? request.requestedSchema : {}) as ElicitationSchema
}

function answersOf({ properties = {} }: ElicitationSchema): readonly AskOption[] {
  const [[name, property] = ['', undefined], ...others] = Object.entries(properties)
  if (property === undefined) return [{ id: 'accept', label: 'Accept', kind: 'answer' }]
  if (others.length > 0) {
    const names = Object.keys(properties).join(', ')
    return [{ id: WORDS, label: `Answer with a line "name: value" for each of ${names}`, kind: 'words' }]
  }
  if (property.type === 'boolean')
    return ['true', 'false'].map((id) => ({ id, label: id === 'true' ? 'Yes' : 'No', kind: 'answer' }))
  const { enum: values, oneOf } = property as {
    enum?: readonly string[] | null
    oneOf?: readonly { const: string; title: string }[] | null
  }
  const choices = oneOf?.map(({ const: id, title }) => ({ id, label: title })) ?? values?.map((id) => ({ id, label: id }))
  if (choices && choices.length > 0) return choices.map((choice) => ({ ...choice, kind: 'answer' }))
  const title = (property as { title?: string | null }).title ?? name
  return [{ id: WORDS, label: `Answer in your own words: ${title}`, kind: 'words' }]
}

/** For one value, all the words; for several, one line each. */
function wordsFor(names: readonly string[], note: string): Readonly<Record<string, string>> {
  const [only] = names
  if (names.length === 1 && only !== undefined) return note.trim() === '' ? {} : { [only]: note.trim() }
  const pairs = note.split('\n').map((line) => /^\s*([^:=]+?)\s*[:=]\s*(.*?)\s*$/.exec(line))
  return Object.fromEntries(pairs.flatMap((pair) => (pair ? [[pair[1], pair[2]]] : [])))
}

function valueOf(schema: ElicitationSchema, name: string, text: string | undefined): string | number | boolean | undefined {
  if (text === undefined) return undefined
  const { type } = schema.properties?.[name] ?? {}
  if (type === 'boolean') return /^(?:true|yes|y|1)$/i.test(text)
  if (type !== 'number' && type !== 'integer') return text
  const value = Number(text)
  return Number.isFinite(value) ? value : undefined
}

/** An agent's text as a person may see it. */
async function safeText(text: string): Promise<string> {
  return redactText(cleanText(text))
}

async function shownLine(text: string): Promise<string> {
  return shortened(await safeText(text), TITLE_LENGTH_MAX)
}

async function labelled(options: readonly AskOption[]): Promise<readonly AskOption[]> {
  return Promise.all(options.map(async (option) => ({ ...option, label: await shownLine(option.label) })))
}

/** What the tool would do: its command if the title doesn't contain all of it, texts, and the new content of files. */
async function detailOf({ rawInput, content }: ToolCallUpdate, shownTitle: string): Promise<string> {
  const command = await safeText(commandIn(rawInput))
  const lines = [
    ...(shownTitle.includes(command) ? [] : [withBothEnds(command)]),
    ...(content ?? []).flatMap((each) => {
      if (each.type === 'diff') return [`${each.path}:`, each.newText]
      return each.type === 'content' && each.content.type === 'text' ? [each.content.text] : []
    }),
  ]
  return (await safeText(lines.join('\n'))).trim()
}

/** Agents give the command as one text, or as a list of words. */
function commandIn(rawInput: unknown): string {
  const { command } = (typeof rawInput === 'object' && rawInput !== null ? rawInput : {}) as { command?: unknown }
  if (Array.isArray(command)) return command.map(String).join(' ')
  return typeof command === 'string' ? command : ''
}

/** The important part of a command may be at the end, so a long one loses its middle, and says so. */
function withBothEnds(command: string): string {
  if (command.length <= COMMAND_LENGTH_MAX) return command
  const half = COMMAND_LENGTH_MAX / 2
  const left = command.length - COMMAND_LENGTH_MAX
  return `${command.slice(0, half).toWellFormed()}\n… ${left} characters are not shown …\n${command.slice(-half).toWellFormed()}`
}

const COMMAND_LENGTH_MAX = 1600

function cut(text: string): string {
  return text.length <= ASK_DETAIL_LENGTH_MAX ? text : `${text.slice(0, ASK_DETAIL_LENGTH_MAX - 1).toWellFormed()}…`
}

/** A cryptographic hash, so that no other request can have the id of a granted one. */
function idOf(parts: unknown): string {
  const text = JSON.stringify(parts, (_key, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  )
  return createHash('sha256').update(text).digest('hex').slice(0, 32)
}
