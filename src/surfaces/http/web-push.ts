import { createCipheriv, createECDH, createHash, createPrivateKey, type ECDH, hkdfSync, randomBytes, sign } from 'node:crypto'

/** Where a browser takes messages, as its `PushSubscription` says. */
export interface PushSubscriptionKeys {
  readonly endpoint: string
  /** The browser's public key, and a secret of the subscription, as base64url. */
  readonly p256dh: string
  readonly auth: string
}

const CURVE = 'prime256v1'
const RECORD_BYTES = 4096

/** Encrypts a message for one browser (RFC 8291, content coding `aes128gcm` of RFC 8188). The service that passes it on can't read it. */
export function encryptPush(
  text: string,
  { p256dh, auth }: Pick<PushSubscriptionKeys, 'p256dh' | 'auth'>,
  salt: Buffer = randomBytes(16),
  own: ECDH = newPair(),
): Buffer {
  const [theirs, secret, ours] = [Buffer.from(p256dh, 'base64url'), Buffer.from(auth, 'base64url'), own.getPublicKey()]
  const shared = own.computeSecret(theirs)
  const input = derived(shared, secret, Buffer.concat([Buffer.from('WebPush: info\0'), theirs, ours]), 32)
  const key = derived(input, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16)
  const nonce = derived(input, salt, Buffer.from('Content-Encoding: nonce\0'), 12)
  const cipher = createCipheriv('aes-128-gcm', key, nonce)
  // 2 marks the last record.
  const sealed = [cipher.update(Buffer.concat([Buffer.from(text), Buffer.of(2)])), cipher.final(), cipher.getAuthTag()]
  const head = Buffer.alloc(21)
  salt.copy(head)
  head.writeUInt32BE(RECORD_BYTES, 16)
  head.writeUInt8(ours.length, 20)
  return Buffer.concat([head, ours, ...sealed])
}

/** The pair of keys by which push services know this server (VAPID, RFC 8292): made from its secret, so there is nothing more to keep. */
export function pushKeys(secret: string): { readonly publicKey: string; readonly privateKey: string } {
  const pair = createECDH(CURVE)
  pair.setPrivateKey(derived(Buffer.from(secret), Buffer.alloc(0), Buffer.from('pawl web push'), 32))
  return { publicKey: pair.getPublicKey('base64url'), privateKey: pair.getPrivateKey('base64url') }
}

const TOKEN_SECONDS = 12 * 3600

/** Says to a push service who sends. `contact` is an address of the server, or of whoever runs it. */
export function pushAuthorization(endpoint: string, secret: string, contact: string, now: number): string {
  const { publicKey, privateKey } = pushKeys(secret)
  const point = Buffer.from(publicKey, 'base64url')
  const [x, y] = [point.subarray(1, 33).toString('base64url'), point.subarray(33).toString('base64url')]
  const key = createPrivateKey({ key: { kty: 'EC', crv: 'P-256', d: privateKey, x, y }, format: 'jwk' })
  const claims = { aud: new URL(endpoint).origin, exp: Math.floor(now / 1000) + TOKEN_SECONDS, sub: contact }
  const words = [{ typ: 'JWT', alg: 'ES256' }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
  const signature = sign('sha256', Buffer.from(words.join('.')), { key, dsaEncoding: 'ieee-p1363' })
  return `vapid t=${[...words, signature.toString('base64url')].join('.')}, k=${publicKey}`
}

/** A name under which a newer message of the same thing takes the older one's place: at most 32 characters. */
export function pushTopic(id: string): string {
  return createHash('sha256').update(id).digest('base64url').slice(0, 32)
}

function newPair(): ECDH {
  const pair = createECDH(CURVE)
  pair.generateKeys()
  return pair
}

function derived(input: Buffer, salt: Buffer, info: Buffer, length: number): Buffer {
  return Buffer.from(hkdfSync('sha256', input, salt, info, length))
}
