import { createHmac, timingSafeEqual } from 'node:crypto'
import { PawlError } from '../../core/pawl-error.ts'

/** What a link answers: one question of one run, until it expires. */
export interface AnswerLink {
  readonly run: string
  /** The question's `seq`. A question takes one answer, so the link works once. */
  readonly question: number
  readonly expiresAt: number
}

/** The link's last part, signed: nobody can make one for another question, or a later time. */
export function signedLink({ run, question, expiresAt }: AnswerLink, secret: string): string {
  const payload = Buffer.from(JSON.stringify([run, question, expiresAt])).toString('base64url')
  return `${payload}.${macOf(payload, secret)}`
}

/** Reads it. Throws `link.invalid` for one that isn't ours, and `link.expired` for an old one. */
export function readLink(text: string, secret: string, now: number): AnswerLink {
  const [payload = '', mac = ''] = text.split('.')
  const wanted = Buffer.from(macOf(payload, secret))
  const given = Buffer.from(mac)
  if (given.length !== wanted.length || !timingSafeEqual(given, wanted))
    throw new PawlError('link.invalid', "This link isn't valid. Open the one from the notice again.")
  const [run, question, expiresAt] = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as [string, number, number]
  if (now > expiresAt)
    throw new PawlError('link.expired', `This link has expired. Answer on the page, or with: pawl answer ${run}`)
  return { run, question, expiresAt }
}

function macOf(payload: string, secret: string): string {
  return createHmac('sha256', secret).update(`answer ${payload}`).digest('base64url')
}
