import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { post, Problem, remove, useResource } from '../api.ts'
import { useTitle } from '../app.tsx'
import { now } from '../live.ts'
import { Age, Failure, Loaded, Panel } from '../parts/basics.tsx'
import type { DeviceView, PairingView, PushView } from '../types.ts'

/** Who may use this server, letting one more in, and notices to this browser. */
export function Devices(): JSX.Element {
  useTitle('Devices · Pawl')
  const version = useSignal(0)
  const found = useResource<{ readonly devices: readonly DeviceView[] }>('/devices', version.value)
  const changed = (): void => void version.value++
  return (
    <div class="stack">
      <h1>Devices</h1>
      <div class="two">
        <div class="stack">
          <Pairing onEnd={changed} />
          <Push />
        </div>
        <Panel title="Who may watch and answer">
          <Loaded of={found}>
            {({ devices }) =>
              devices.length === 0 ? (
                <p class="empty">No device is paired.</p>
              ) : (
                <ul class="list">
                  {devices.toReversed().map((device) => (
                    <Device key={device.id} device={device} onChange={changed} />
                  ))}
                </ul>
              )
            }
          </Loaded>
        </Panel>
      </div>
    </div>
  )
}

function Device({ device, onChange }: { readonly device: DeviceView; readonly onChange: () => void }): JSX.Element {
  const { id, name, lastSeenAt, isThis } = device
  const deed = useDeed()
  return (
    <li class="row between">
      <span class="stack tight">
        <span>
          {name} {isThis && <span class="tag accent">this one</span>}
        </span>
        <span class="soft small">
          last seen <Age at={lastSeenAt} />
        </span>
      </span>
      <button
        type="button"
        class="danger"
        disabled={deed.isBusy}
        onClick={() => deed.run(() => remove(`/devices/${encodeURIComponent(id)}`), onChange)}
      >
        Lock out<span class="hidden"> {name}</span>
      </button>
      {deed.problem && <Failure problem={deed.problem} />}
    </li>
  )
}

/** A code for one more device: a QR code to scan, or letters to type. */
function Pairing({ onEnd }: { readonly onEnd: () => void }): JSX.Element {
  const code = useSignal<PairingView | undefined>(undefined)
  const deed = useDeed()
  const leftMs = Math.max(0, (code.value?.expiresAt ?? 0) - now.value)
  useEffect(() => {
    if (code.value === undefined) return undefined
    const timer = setInterval(onEnd, 3000)
    return () => clearInterval(timer)
  }, [code.value])
  const shown = leftMs > 0 ? code.value : undefined
  const isLocal = shown !== undefined && /^https?:\/\/(?:127\.|localhost|\[::1\])/.test(shown.url)
  return (
    <Panel title="Pair another device">
      <div class="pad stack">
        {shown ? (
          <>
            <img class="qr" alt="QR code with the pairing link" src={`data:image/svg+xml,${encodeURIComponent(shown.svg)}`} />
            <p>
              <span class="soft small">Code </span>
              <span class="code">{shown.code}</span>
            </p>
            <p class="soft small" role="status">
              Works once, for {leftMs > 60_000 ? 'two minutes' : 'less than a minute'}: scan it, or type it at{' '}
              <code>{shown.url.replace(/\?.*$/, '')}</code>
            </p>
            {isLocal && (
              <p class="wait small">
                Only this machine reaches that address. For a phone, start the server with <code>--share tailscale</code> or{' '}
                <code>--public-url</code>.
              </p>
            )}
          </>
        ) : (
          <p class="soft">A code lets one more device in: once, within two minutes.</p>
        )}
        <div>
          <button
            type="button"
            class={shown ? '' : 'primary'}
            disabled={deed.isBusy}
            onClick={() => deed.run(async () => void (code.value = await post<PairingView>('/devices/code', {})))}
          >
            {shown ? 'New code' : 'Show a code'}
          </button>
        </div>
        {deed.problem && <Failure problem={deed.problem} />}
      </div>
    </Panel>
  )
}

/** Notices to this browser, also while the page is closed. */
function Push(): JSX.Element {
  const version = useSignal(0)
  const found = useResource<PushView>('/push', version.value)
  const deed = useDeed()
  const canPush = isSecureContext && 'serviceWorker' in navigator && 'PushManager' in globalThis
  return (
    <Panel title="Notices on this device">
      <div class="pad stack tight">
        <p class="soft">When a run needs your answer, stops or is done, also while this page is closed.</p>
        {canPush ? (
          <Loaded of={found} height={40}>
            {({ key, isOn }) => (
              <div>
                <button
                  type="button"
                  class={isOn ? '' : 'primary'}
                  disabled={deed.isBusy}
                  onClick={() => deed.run(isOn ? turnOff : () => turnOn(key), () => version.value++)}
                >
                  {isOn ? 'Turn off' : 'Turn on'}
                </button>
              </div>
            )}
          </Loaded>
        ) : (
          <p class="small wait">
            This browser takes them only over https or on this machine itself; on an iPhone, add this page to the home screen
            first.
          </p>
        )}
        {deed.problem && <Failure problem={deed.problem} />}
      </div>
    </Panel>
  )
}

async function turnOn(key: string): Promise<void> {
  if ((await Notification.requestPermission()) !== 'granted')
    throw new Problem(0, { detail: 'This browser doesn’t allow notices of this page: change that in its settings.' })
  const worker = await navigator.serviceWorker.register('/sw.js')
  await navigator.serviceWorker.ready
  await (await worker.pushManager.getSubscription())?.unsubscribe()
  const made = await worker.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key })
  const { endpoint, keys = {} } = made.toJSON()
  await post('/push', { endpoint, p256dh: keys['p256dh'], auth: keys['auth'] })
}

async function turnOff(): Promise<void> {
  const worker = await navigator.serviceWorker.getRegistration('/sw.js')
  await (await worker?.pushManager.getSubscription())?.unsubscribe()
  await post('/push', {})
}

interface Deed {
  readonly isBusy: boolean
  readonly problem: Problem | undefined
  run(what: () => Promise<unknown>, after?: () => void): void
}

function useDeed(): Deed {
  const isBusy = useSignal(false)
  const problem = useSignal<Problem | undefined>(undefined)
  const act = async (what: () => Promise<unknown>, after: () => void): Promise<void> => {
    isBusy.value = true
    problem.value = undefined
    try {
      await what()
      after()
    } catch (error) {
      problem.value = error instanceof Problem ? error : new Problem(0, { detail: String(error) })
    }
    isBusy.value = false
  }
  return { isBusy: isBusy.value, problem: problem.value, run: (what, after = () => undefined) => void act(what, after) }
}
