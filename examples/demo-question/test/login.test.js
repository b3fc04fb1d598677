import assert from 'node:assert/strict'
import { test } from 'node:test'
import { currentUser, login } from '../src/login.js'
import { readToken } from '../src/token.js'

const NOW = 1_750_000_000
const service = { isRightPassword: (name, password) => password === `${name}'s own`, secret: 'for tests only', now: NOW }

function tokenOf(name) {
  return login({ name, password: `${name}'s own` }, service).token
}

test('a wrong password is refused', () => {
  assert.equal(login({ name: 'ada', password: 'a guess' }, service).status, 401)
  assert.equal(login({ name: 'nobody', password: "nobody's own" }, service).status, 401)
})

test('a closed account is refused', () => {
  assert.equal(login({ name: 'bob', password: "bob's own" }, service).status, 403)
})

test('a login returns a token with the numeric userId', () => {
  const content = readToken(tokenOf('ada'), service.secret, NOW)
  assert.deepEqual(content, { userId: 123, expires: NOW + 3600 })
})

test('a token leads back to its user', () => {
  assert.equal(currentUser(tokenOf('ada'), service).name, 'ada')
})

test('accounts from the old shop keep their ids', () => {
  assert.equal(readToken(tokenOf('kim'), service.secret, NOW).userId, 'k-77')
  assert.equal(currentUser(tokenOf('kim'), service).name, 'kim')
})

test('a token expires', () => {
  assert.equal(currentUser(tokenOf('ada'), { ...service, now: NOW + 3599 })?.name, 'ada')
  assert.equal(currentUser(tokenOf('ada'), { ...service, now: NOW + 3600 }), undefined)
})

test('a forged token is worth nothing', () => {
  assert.equal(currentUser(tokenOf('ada'), { ...service, secret: 'another secret' }), undefined)
  assert.equal(currentUser(`x${tokenOf('ada')}`, service), undefined)
})
