import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { PawlError } from '../../core/pawl-error.ts'
import { isFields } from '../../core/json.ts'
import { userFolder, writePrivate } from '../../settings/user-files.ts'
import type { DeviceView } from './contract.ts'

/** A browser that may use the server. Only the hash of its secret is kept. */
interface Device {
  readonly id: string
  readonly name: string
  readonly hash: string
  readonly createdAt: number
  readonly lastSeenAt: number
}

interface Kept {
  /** Opens the door for you and for programs of yours. */
  readonly token: string
  /** Signs links that answer one question. */
  readonly secret: string
  readonly devices: readonly Device[]
}

const DEVICES_MAX = 50
const SEEN_EVERY_MS = 60_000
const CODE_MS = 120_000
const CODE_TRIES_MAX = 5

/** No letters and digits that look alike. */
const CODE_LETTERS = 'ABCDEFGHJKMNPQRSTVWXYZ23456789'
const CODE_LENGTH = 8

/** A code that lets one more device in, once. */
export interface PairingCode {
  readonly code: string
  readonly expiresAt: number
}

/** Who may use the servers of this user: kept in the user's own folder, since all projects share them and no project may change them. */
export class Devices {
  readonly #path: string
  readonly #now: () => number
  #kept: Kept | undefined
  #stamp = 0
  #pairing: (PairingCode & { tries: number }) | undefined

  constructor(folder = userFolder(), now: () => number = Date.now) {
    this.#path = join(folder, 'serve.json')
    this.#now = now
  }

  get token(): string {
    return this.#read().token
  }

  get secret(): string {
    return this.#read().secret
  }

  isToken(given: string): boolean {
    return isSame(given, this.#read().token)
  }

  /** Lets a new device in, and says which secret its cookie has. */
  add(name: string): { readonly device: Pick<Device, 'id' | 'name'>; readonly cookie: string } {
    const cookie = randomBytes(32).toString('base64url')
    const at = this.#now()
    const device = { id: randomBytes(6).toString('hex'), name, hash: hash('sha256', cookie), createdAt: at, lastSeenAt: at }
    this.#change((devices) => [...devices, device].toSorted(byLastSeen).slice(-DEVICES_MAX))
    return { device, cookie }
  }

  /** The device with this cookie. */
  find(cookie: string): Pick<Device, 'id' | 'name'> | undefined {
    const wanted = hash('sha256', cookie)
    const found = this.#read().devices.find((device) => isSame(device.hash, wanted))
    const at = this.#now()
    if (found && at - found.lastSeenAt > SEEN_EVERY_MS)
      this.#change((devices) => devices.map((each) => (each.id === found.id ? { ...each, lastSeenAt: at } : each)))
    return found
  }

  list(own?: string): readonly DeviceView[] {
    return this.#read().devices.map(({ id, name, createdAt, lastSeenAt }) => ({
      id,
      name,
      createdAt,
      lastSeenAt,
      isThis: id === own,
    }))
  }

  /** Locks a device out. `false` if there is no such device. */
  revoke(id: string): boolean {
    const isKnown = this.#read().devices.some((device) => device.id === id)
    if (isKnown) this.#change((devices) => devices.filter((device) => device.id !== id))
    return isKnown
  }

  /** A new code; one that was made before no longer counts. */
  newCode(): PairingCode {
    const letters = [...randomBytes(CODE_LENGTH)].map((byte) => CODE_LETTERS[byte % CODE_LETTERS.length] ?? '')
    this.#pairing = { code: letters.join(''), expiresAt: this.#now() + CODE_MS, tries: 0 }
    return { code: this.#pairing.code, expiresAt: this.#pairing.expiresAt }
  }

  /** Takes a code, which then no longer counts. A code also ends after two minutes, or five wrong ones. */
  useCode(given: string): boolean {
    const pairing = this.#pairing
    if (!pairing || this.#now() > pairing.expiresAt) return false
    const isRight = isSame(given.trim().toUpperCase().replaceAll(/[\s-]/g, ''), pairing.code)
    if (isRight || ++pairing.tries >= CODE_TRIES_MAX) this.#pairing = undefined
    return isRight
  }

  #read(): Kept {
    const stamp = statSync(this.#path, { throwIfNoEntry: false })?.mtimeMs
    if (this.#kept && stamp === this.#stamp) return this.#kept
    if (stamp === undefined) return this.#write({ token: newSecret(), secret: newSecret(), devices: [] })
    try {
      const kept = JSON.parse(readFileSync(this.#path, 'utf8')) as unknown
      if (!isKept(kept)) throw new TypeError('shape')
      this.#kept = kept
      this.#stamp = stamp
      return kept
    } catch (cause) {
      throw new PawlError('config.devices', `${this.#path} is damaged. Delete it; every device has to pair again then.`, {
        cause,
      })
    }
  }

  #change(change: (devices: readonly Device[]) => readonly Device[]): void {
    // Read again: another server of the same user may have let somebody in.
    this.#stamp = 0
    const kept = this.#read()
    this.#write({ ...kept, devices: change(kept.devices) })
  }

  #write(kept: Kept): Kept {
    writePrivate(this.#path, `${JSON.stringify(kept, undefined, 2)}\n`)
    this.#kept = kept
    this.#stamp = statSync(this.#path).mtimeMs
    return kept
  }
}

function byLastSeen(one: Device, other: Device): number {
  return one.lastSeenAt - other.lastSeenAt
}

function newSecret(): string {
  return randomBytes(32).toString('base64url')
}

function isKept(value: unknown): value is Kept {
  if (!isFields(value)) return false
  const { token, secret, devices } = value
  return isSecret(token) && isSecret(secret) && Array.isArray(devices) && devices.every(isFields)
}

function isSecret(value: unknown): boolean {
  return typeof value === 'string' && value.length >= 32
}

/** Compared as hashes, so that neither length nor time says how much is right. */
function isSame(one: string, other: string): boolean {
  return timingSafeEqual(hash('sha256', one, 'buffer'), hash('sha256', other, 'buffer'))
}
