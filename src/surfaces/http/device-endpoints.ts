import { PawlError } from '../../core/pawl-error.ts'
import { renderSVG } from 'uqr'
import { optional, settingsSchema, textUpTo } from '../../schema/kinds.ts'
import { isLoopback } from '../../process/peer-process.ts'
import type { DeviceView, PairingView, PushView } from './contract.ts'
import type { Notices } from './notices.ts'
import { encryptPush, pushKeys, type PushSubscriptionKeys } from './web-push.ts'
import type { Devices } from './devices.ts'
import { type Endpoint, endpoint } from './endpoint.ts'

/** The addresses about who may use the server. */
export function deviceEndpoints(devices: Devices, url: () => string, notices: Notices): readonly Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: '/devices',
      about: 'The devices that may use your servers',
      answers: '{ devices: DeviceView[] }',
      call: async ({ caller }): Promise<{ readonly devices: readonly DeviceView[] }> => ({
        devices: devices.list(caller.device),
      }),
    }),
    endpoint({
      method: 'POST',
      path: '/devices/code',
      about: 'A code that lets one more device in: once, within two minutes',
      answers: 'PairingView',
      call: async (): Promise<PairingView> => {
        const { code, expiresAt } = devices.newCode()
        const link = `${url()}/pair?code=${code}`
        return { code, url: link, expiresAt, svg: renderSVG(link) }
      },
    }),
    endpoint({
      method: 'DELETE',
      path: '/devices/:id',
      about: 'Locks a device out',
      answers: '{ id }',
      call: async ({ param }) => {
        notices.subscribe(param, undefined)
        if (!devices.revoke(param)) throw new PawlError('device.unknown', 'There is no such device.', { value: param })
        return { id: param }
      },
    }),
    endpoint({
      method: 'GET',
      path: '/push',
      about: 'The key by which push services know this server, and whether this device gets notices by web push',
      answers: 'PushView',
      call: async ({ caller }): Promise<PushView> => ({
        key: pushKeys(devices.secret).publicKey,
        isOn: caller.device !== undefined && notices.isSubscribed(caller.device),
      }),
    }),
    endpoint({
      method: 'POST',
      path: '/push',
      about: "Sends notices to this device by web push, with its browser's subscription; without one, no longer",
      body: settingsSchema({
        endpoint: optional(textUpTo(2000), 'Of the `PushSubscription`'),
        p256dh: optional(textUpTo(200), 'Its public key, as base64url'),
        auth: optional(textUpTo(100), 'Its secret, as base64url'),
      }),
      answers: 'PushView',
      call: async ({ caller, body: { endpoint: address, p256dh, auth } }): Promise<PushView> => {
        if (caller.device === undefined)
          throw new PawlError('usage.push', 'Only a paired browser gets web push. Programs use the notices of pawl.yaml.')
        const wanted = address === undefined ? undefined : { endpoint: address, p256dh: p256dh ?? '', auth: auth ?? '' }
        if (wanted) requireSubscription(wanted)
        notices.subscribe(caller.device, wanted)
        return { key: pushKeys(devices.secret).publicKey, isOn: wanted !== undefined }
      },
    }),
  ]
}

/** Throws if nothing could be sent there, or if it isn't a push service of the world. */
function requireSubscription(given: PushSubscriptionKeys): void {
  const url = URL.canParse(given.endpoint) ? new URL(given.endpoint) : undefined
  const isService = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname))
  try {
    if (!isService || Buffer.from(given.auth, 'base64url').length !== 16) throw new TypeError('endpoint')
    encryptPush('', given)
  } catch (cause) {
    throw new PawlError('usage.push', 'That is not the subscription of a browser.', { cause })
  }
}
