import { PawlError } from '../../core/pawl-error.ts'
import { renderSVG } from 'uqr'
import type { DeviceView } from './contract.ts'
import type { Devices } from './devices.ts'
import { type Endpoint, endpoint } from './endpoint.ts'

/** The addresses about who may use the server. */
export function deviceEndpoints(devices: Devices, url: () => string): readonly Endpoint[] {
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
      answers: '{ code, url, expiresAt, svg }',
      call: async () => {
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
        if (!devices.revoke(param)) throw new PawlError('device.unknown', 'There is no such device.', { value: param })
        return { id: param }
      },
    }),
  ]
}
