import { durationText, inFiles } from '../schema/file-kinds.ts'
import {
  type EntriesOf,
  listOf,
  matching,
  MILLISECONDS,
  needed,
  notBlank,
  oneOf,
  optional,
  settingsSchema,
  withRule,
} from '../schema/kinds.ts'

/** What a notice is about. */
const NOTICE_KINDS = ['waiting', 'stopped', 'done'] as const

export type NoticeKind = (typeof NOTICE_KINDS)[number]

const SERVICES = ['ntfy', 'slack', 'discord', 'telegram', 'webhook', 'desktop', 'command'] as const

/** Where notices go. `token`, `secret` and, with `$` in front, `url` name a variable of the environment. */
export interface NoticeTarget {
  readonly kind: (typeof SERVICES)[number]
  readonly url?: string
  readonly token?: string
  readonly secret?: string
  readonly chat?: string
  readonly command?: string
  readonly on?: readonly NoticeKind[]
}

export interface NoticeSettings {
  readonly to: readonly NoticeTarget[]
  readonly quiet?: string
  readonly digest?: number
}

const VARIABLE = matching('the name of an environment variable such as $NTFY_TOKEN', /^\$[A-Za-z_]\w*$/)

const TARGET = withRule(
  settingsSchema(
    {
      kind: needed(oneOf(SERVICES), 'The service'),
      url: optional(
        matching('an address, or the variable that has it, such as $SLACK_URL', /^(?:https?:\/\/\S+|\$[A-Za-z_]\w*)$/),
        'Where to send it: the topic of ntfy, the webhook of Slack or Discord, your own server',
      ),
      token: optional(VARIABLE, 'The variable with the token of ntfy or of the Telegram bot'),
      secret: optional(VARIABLE, 'The variable with the key that signs a webhook'),
      chat: optional(matching('the id of a chat', /^[-@\w]+$/), 'The chat of Telegram'),
      command: optional(notBlank('a command'), 'A command that gets the notice as JSON on its standard input'),
      on: optional(listOf('a list of waiting, stopped and done', oneOf(NOTICE_KINDS)), 'What to tell (default: all three)'),
    } satisfies EntriesOf<NoticeTarget>,
    'a target such as { kind: ntfy, url: "https://ntfy.sh/my-topic" }',
  ),
  ({ kind, url, token, chat, command }) => {
    if (['ntfy', 'slack', 'discord', 'webhook'].includes(kind) && url === undefined) return { name: 'url', wanted: 'an address' }
    if (kind === 'telegram' && token === undefined) return { name: 'token', wanted: "the variable with the bot's token" }
    if (kind === 'telegram' && chat === undefined) return { name: 'chat', wanted: 'the id of a chat' }
    return kind === 'command' && command === undefined ? { name: 'command', wanted: 'a command' } : undefined
  },
)

/** The key `notices` of pawl.yaml. */
export const NOTICES = settingsSchema(
  {
    to: needed(listOf('a list of targets', TARGET), 'Where notices go'),
    quiet: optional(
      matching('hours such as 22:00-07:00', /^(?:[01]\d|2[0-3]):[0-5]\d-(?:[01]\d|2[0-3]):[0-5]\d$/),
      'Hours, in local time, in which nothing is sent; it is sent afterwards',
    ),
    digest: optional(
      inFiles(MILLISECONDS, { kind: durationText(1) }),
      'How long to gather what stopped or is done before it is sent as one notice',
    ),
  } satisfies EntriesOf<NoticeSettings>,
  'a map such as { to: [{ kind: ntfy, url: "https://ntfy.sh/my-topic" }] }',
)
