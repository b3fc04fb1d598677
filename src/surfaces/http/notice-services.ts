import { spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { PawlError } from '../../core/pawl-error.ts'
import { encryptPush, pushAuthorization, type PushSubscriptionKeys, pushTopic } from './web-push.ts'
import { showOnDesktop } from '../../process/desktop-notice.ts'
import type { NoticeKind, NoticeTarget } from '../../settings/notice-settings.ts'

/** What happened in a run, for a person who is elsewhere. */
export interface Notice {
  /** `RUN@SEQ`: a receiver that gets it twice can tell. */
  readonly id: string
  readonly kind: NoticeKind | 'digest'
  readonly run: string
  readonly at: number
  readonly title: string
  readonly text: string
  /** Answers the question, once. */
  readonly link?: string
}

/** How long a text may be, in characters, for each service; ntfy counts bytes. */
const LIMITS: Readonly<Record<NoticeTarget['kind'], number>> = {
  ntfy: 1300,
  slack: 3000,
  discord: 2000,
  telegram: 4096,
  webhook: 20_000,
  desktop: 200,
  command: 20_000,
}

const SEND_MS_MAX = 15_000

/** Sends a notice to one target. Throws if it didn't arrive. */
export async function sendNotice(target: NoticeTarget, notice: Notice, env: NodeJS.ProcessEnv = process.env): Promise<void> {
  switch (target.kind) {
    case 'desktop':
      return void (await showOnDesktop(plain(notice.title), cut(plain(notice.text), LIMITS.desktop)))
    case 'command':
      return runCommand(target.command ?? '', notice)
    default: {
      const { url, ...request } = requestFor(target, notice, env)
      const response = await fetch(url, {
        method: 'POST',
        redirect: 'error',
        signal: AbortSignal.timeout(SEND_MS_MAX),
        ...request,
      })
      await response.body?.cancel()
      if (!response.ok) throw new PawlError('notice.refused', `${target.kind} answered ${response.status}.`)
    }
  }
}

/**
 * Sends a notice to a browser, by the service that its subscription names. `false` if the browser no longer wants them. The message opens
 * the run, whose page asks who you are: it needs no link that answers.
 */
export async function sendPush(
  target: PushSubscriptionKeys,
  { id, kind, run, title, text }: Notice,
  { secret, url, now }: { readonly secret: string; readonly url: string; readonly now: number },
): Promise<boolean> {
  const path = kind === 'digest' ? '/' : `/runs/${encodeURIComponent(run)}`
  const message = { title: cut(title, 100), text: cut(text, PUSH_LENGTH_MAX), path, tag: kind === 'digest' ? 'digest' : run }
  const response = await fetch(target.endpoint, {
    method: 'POST',
    redirect: 'error',
    signal: AbortSignal.timeout(SEND_MS_MAX),
    headers: {
      authorization: pushAuthorization(target.endpoint, secret, url.startsWith('https:') ? url : 'mailto:pawl@example.com', now),
      'content-encoding': 'aes128gcm',
      'content-type': 'application/octet-stream',
      ttl: '86400',
      topic: pushTopic(id),
      urgency: kind === 'waiting' ? 'high' : 'normal',
    },
    body: new Uint8Array(encryptPush(JSON.stringify(message), target)),
  })
  await response.body?.cancel()
  if (response.status === 404 || response.status === 410) return false
  if (!response.ok) throw new PawlError('notice.refused', `The push service answered ${response.status}.`)
  return true
}

/** In characters: with four bytes each they fit into a message of 4096 bytes. */
const PUSH_LENGTH_MAX = 600

interface NoticeRequest {
  readonly url: string
  readonly headers: Record<string, string>
  readonly body: string
}

function requestFor(target: NoticeTarget, notice: Notice, env: NodeJS.ProcessEnv): NoticeRequest {
  const { kind } = target
  const url = valueOf(target.url, env) ?? ''
  const token = valueOf(target.token, env)
  const json = { 'content-type': 'application/json' }
  if (kind === 'ntfy')
    return {
      url,
      headers: {
        title: encoded(cut(notice.title, 200)),
        tags: TAGS[notice.kind],
        ...(notice.link === undefined ? {} : { click: notice.link }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      body: cut(notice.text, LIMITS.ntfy),
    }
  if (kind === 'slack')
    return {
      url,
      headers: json,
      body: JSON.stringify({
        text: textFor(notice, LIMITS.slack, (text) => text.replaceAll(/[&<>]/g, (sign) => ENTITIES[sign] ?? '')),
      }),
    }
  // Nobody is called by what an agent wrote.
  if (kind === 'discord') {
    // Nor led elsewhere by a link with another text.
    const content = textFor(notice, LIMITS.discord, (text) => text.replaceAll(/[\\*_~`|[\]<>]/g, '\\$&'))
    return { url, headers: json, body: JSON.stringify({ content, allowed_mentions: { parse: [] } }) }
  }
  if (kind === 'telegram') {
    const base = url || 'https://api.telegram.org'
    const body = JSON.stringify({
      chat_id: target.chat,
      text: textFor(notice, LIMITS.telegram),
      link_preview_options: { is_disabled: true },
    })
    return { url: `${base}/bot${token ?? ''}/sendMessage`, headers: json, body }
  }
  const body = JSON.stringify({ ...notice, text: cut(notice.text, LIMITS.webhook) })
  const secret = valueOf(target.secret, env)
  const signature =
    secret === undefined ? {} : { 'x-pawl-signature': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}` }
  return { url, headers: { ...json, 'x-pawl-delivery': notice.id, ...signature }, body }
}

const TAGS: Readonly<Record<Notice['kind'], string>> = {
  waiting: 'question',
  stopped: 'stop_sign',
  done: 'white_check_mark',
  digest: 'newspaper',
}

/** `$NAME` stands for what the environment has under that name. */
function valueOf(given: string | undefined, env: NodeJS.ProcessEnv): string | undefined {
  if (given === undefined || !given.startsWith('$')) return given
  const value = env[given.slice(1)]
  if (!value) throw new PawlError('notice.variable', `The variable ${given.slice(1)} isn't set for \`pawl serve\`.`)
  return value
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/** Title, text and link as one text. `escaped` takes a service's own marks out of what agents wrote. */
function textFor({ title, text, link }: Notice, lengthMax: number, escaped = (words: string): string => words): string {
  const end = link === undefined ? '' : `\n${link}`
  return `${cut(escaped(`${title}\n${text}`), lengthMax - end.length)}${end}`
}

function cut(text: string, lengthMax: number): string {
  return text.length <= lengthMax ? text : `${text.slice(0, Math.max(0, lengthMax - 1)).replace(/[\uD800-\uDBFF]$/, '')}…`
}

/** Headers have ASCII only. */
function encoded(text: string): string {
  return /^[\x20-\x7e]*$/.test(text) ? text : `=?UTF-8?B?${Buffer.from(text).toString('base64')}?=`
}

/** Control characters, and a dash in front would be a flag. */
function plain(text: string): string {
  return text.replaceAll(/\p{Cc}+/gu, ' ').replace(/^-+/, '')
}

async function runCommand(command: string, notice: Notice): Promise<void> {
  const child = spawn(command, { shell: true, stdio: ['pipe', 'ignore', 'ignore'], timeout: SEND_MS_MAX })
  child.stdin.on('error', () => undefined)
  child.stdin.end(`${JSON.stringify(notice)}\n`)
  const [code] = (await once(child, 'exit')) as [number | null]
  if (code !== 0) throw new PawlError('notice.refused', `The command ended with ${code ?? 'a signal'}.`)
}
