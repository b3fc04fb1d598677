import { createHmac, timingSafeEqual } from 'node:crypto'

const LIFETIME_SECONDS = 3600

/** A token is `payload.signature`, both in base64url; whoever holds one is logged in until it expires. */
export function createToken(user, secret, now) {
  const payload = encode({ userId: user.id, expires: now + LIFETIME_SECONDS })
  return `${payload}.${sign(payload, secret)}`
}

/** What a token says, or `undefined` when it is forged or too old. */
export function readToken(token, secret, now) {
  const [payload, signature] = token.split('.')
  if (!isSame(signature, sign(payload, secret))) return undefined
  const content = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'))
  return content.expires > now ? content : undefined
}

function encode(content) {
  return Buffer.from(JSON.stringify(content)).toString('base64url')
}

function sign(payload, secret) {
  return createHmac('sha256', secret).update(payload).digest('base64url')
}

function isSame(first, second) {
  return first.length === second.length && timingSafeEqual(Buffer.from(first), Buffer.from(second))
}
