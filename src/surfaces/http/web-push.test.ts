import { createECDH, createPublicKey, verify } from 'node:crypto'
import { expect, test } from 'vitest'
import { encryptPush, pushAuthorization, pushKeys } from './web-push.ts'

test('PUSH-1 a message is encrypted as in the example of RFC 8291', () => {
  const own = createECDH('prime256v1')
  own.setPrivateKey('yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw', 'base64url')
  const sealed = encryptPush(
    'When I grow up, I want to be a watermelon',
    {
      p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
      auth: 'BTBZMqHH6r4Tts7J_aSIgg',
    },
    Buffer.from('DGv6ra1nlYgDCS1FRnbzlw', 'base64url'),
    own,
  )
  expect(sealed.toString('base64url')).toBe(
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
  )
})

test('PUSH-2 the server signs for the service that it sends to, with a key that its secret makes', () => {
  const header = pushAuthorization('https://push.example/one/two', 'secret', 'https://pawl.example', 1_000_000)
  const [, head = '', claims = '', signature = '', key = ''] = /^vapid t=([^.]+)\.([^.]+)\.([^,]+), k=(\S+)$/.exec(header) ?? []
  expect(key).toBe(pushKeys('secret').publicKey)
  expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toEqual({
    aud: 'https://push.example',
    exp: 1000 + 12 * 3600,
    sub: 'https://pawl.example',
  })
  const point = Buffer.from(key, 'base64url')
  const [x, y] = [point.subarray(1, 33).toString('base64url'), point.subarray(33).toString('base64url')]
  const known = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' })
  const signed = Buffer.from(`${head}.${claims}`)
  expect(verify('sha256', signed, { key: known, dsaEncoding: 'ieee-p1363' }, Buffer.from(signature, 'base64url'))).toBe(true)
})
