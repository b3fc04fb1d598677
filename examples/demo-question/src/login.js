import { createToken, readToken } from './token.js'
import { findById, findByName } from './users.js'

/** `isRightPassword` asks whoever keeps the passwords; this service never sees them. */
export function login({ name, password }, { isRightPassword, secret, now }) {
  const user = findByName(name)
  if (!user || !isRightPassword(name, password)) return { status: 401 }
  if (!user.active) return { status: 403 }
  return { status: 200, token: createToken(user, secret, now) }
}

/** The user behind a token, or `undefined` when there is none. */
export function currentUser(token, { secret, now }) {
  const content = readToken(token, secret, now)
  return content && findById(content.userId)
}
