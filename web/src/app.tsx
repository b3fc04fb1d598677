import { useSignal } from '@preact/signals'
import type { ComponentType, JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { isReport, useResource } from './api.ts'
import { useKeys } from './keys.ts'
import { connection, projectChanges, useStream } from './live.ts'
import { Dialog, Loaded } from './parts/basics.tsx'
import { go, place, to } from './router.ts'
import type { RunListPage } from './types.ts'
import { Run } from './views/run.tsx'
import { Runs } from './views/runs.tsx'

/** Views that few open are loaded when somebody does. */
const LATER: Readonly<Record<string, () => Promise<ComponentType>>> = {
  stats: () => import('./views/stats.tsx').then((module) => module.Stats),
  compare: () => import('./views/compare.tsx').then((module) => module.Compare),
  devices: () => import('./views/devices.tsx').then((module) => module.Devices),
}

/** The whole page: the frame, and the view that belongs to the address. */
export function App(): JSX.Element {
  const help = useSignal(false)
  useKeys({
    '?': () => (help.value = true),
    '/': (event) => {
      const search = document.querySelector<HTMLElement>('input[type=search]')
      if (search) event.preventDefault()
      search?.focus()
    },
    Escape: () => {
      // Where the page is now, which two quick presses change before it is drawn again.
      const { path } = place.value
      if (document.activeElement instanceof HTMLElement && document.activeElement.matches('input, textarea, select'))
        document.activeElement.blur()
      else if (!isReport && path.length > 0) go(path[0] === 'runs' && path.length > 2 ? to(path.slice(0, 2)) : to([]))
    },
    g: () => !isReport && go(to([])),
  })
  return (
    <>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <header class="top">
        <div>
          {isReport ? (
            <span class="brand">Pawl report</span>
          ) : (
            <a class="brand" href={to([])}>
              Pawl
            </a>
          )}
          <nav aria-label="Main">{!isReport && <Links />}</nav>
          <Connection />
          <Theme />
          <button type="button" class="plain" aria-label="Keys" onClick={() => (help.value = true)}>
            ?
          </button>
        </div>
      </header>
      <main id="main" tabIndex={-1}>
        <View />
      </main>
      {!isReport && <Waiting />}
      {help.value && (
        <Dialog title="Keys" onClose={() => (help.value = false)}>
          <dl class="facts">
            {KEYS.map(([key, text]) => (
              <>
                <dt>
                  <kbd>{key}</kbd>
                </dt>
                <dd>{text}</dd>
              </>
            ))}
          </dl>
        </Dialog>
      )}
    </>
  )
}

const KEYS = [
  ['j', 'Next run or iteration'],
  ['k', 'Previous run or iteration'],
  ['Enter', 'Open'],
  ['/', 'Search'],
  ['g', 'All runs'],
  ['Esc', 'Back'],
  ['?', 'These keys'],
] as const

function Links(): JSX.Element {
  const { path } = place.value
  const links = [
    [[], 'Runs', path.length === 0 || path[0] === 'runs'],
    [['stats'], 'Stats', path[0] === 'stats'],
    [['compare'], 'Compare', path[0] === 'compare'],
    [['devices'], 'Devices', path[0] === 'devices'],
  ] as const
  return (
    <>
      {links.map(([parts, text, isHere]) => (
        <a key={text} href={to(parts)} {...(isHere ? { 'aria-current': 'page' as const } : {})}>
          {text}
        </a>
      ))}
    </>
  )
}

function Connection(): JSX.Element | null {
  if (connection.value === 'off') return null
  const isLive = connection.value === 'live'
  return (
    <span class={`live ${isLive ? '' : 'lost'}`} role="status">
      <span class="wide">{isLive ? 'Live' : 'Connecting again …'}</span>
      <span class="narrow hidden">{isLive ? 'Live' : 'Connecting again …'}</span>
    </span>
  )
}

/** Light, dark, or as the system has it. The choice stays in this browser. */
function Theme(): JSX.Element {
  const theme = useSignal(remembered())
  useEffect(() => {
    if (theme.value === '') delete document.documentElement.dataset['theme']
    else document.documentElement.dataset['theme'] = theme.value
    try {
      localStorage.setItem('theme', theme.value)
    } catch {
      // A browser without storage forgets it.
    }
  }, [theme.value])
  const next = { '': 'light', light: 'dark', dark: '' }[theme.value] ?? ''
  const icon = { '': '◐', light: '○', dark: '●' }[theme.value]
  return (
    <button
      type="button"
      class="plain"
      aria-label={`Theme: ${theme.value || 'as the system'}`}
      onClick={() => (theme.value = next)}
    >
      {icon}
    </button>
  )
}

function remembered(): string {
  try {
    return localStorage.getItem('theme') ?? ''
  } catch {
    return ''
  }
}

/** How many runs wait for a person: in the title and in the icon of the tab, whatever the page shows. */
function Waiting(): null {
  const version = useStream('/stream')
  useEffect(() => void (projectChanges.value = version), [version])
  const { data } = useResource<Pick<RunListPage, 'waiting'>>('/runs?limit=1', version)
  const waiting = data?.waiting ?? 0
  useEffect(() => {
    const base = document.title.replace(/^\(\d+\) /, '')
    document.title = waiting > 0 ? `(${waiting}) ${base}` : base
    const icon = document.querySelector<HTMLLinkElement>('link[rel=icon]')
    if (icon) icon.href = waiting === 0 ? '/favicon.svg' : `/favicon-${waiting > 9 ? 'many' : waiting}.svg`
  }, [waiting, place.value])
  return null
}

/** Sets the title of the tab, and keeps the count that is in it. */
export function useTitle(title: string): void {
  useEffect(() => {
    const count = /^\(\d+\) /.exec(document.title)?.[0] ?? ''
    document.title = `${count}${title}`
  }, [title])
}

function View(): JSX.Element {
  const { path } = place.value
  const [first = '', run] = path
  if (first === 'runs' && run !== undefined) return <Run key={run} run={run} />
  if (first === '' || first === 'runs') return <Runs />
  const load = LATER[first]
  if (load) return <Later key={first} load={load} props={{}} />
  return (
    <div class="empty">
      <h1>Not found</h1>
      <p>
        There is no such page. <a href={to([])}>See all runs</a>
      </p>
    </div>
  )
}

/** A view whose code is loaded when it is opened. */
export function Later<Props extends object>({
  load,
  props,
}: {
  readonly load: () => Promise<ComponentType<Props>>
  readonly props: Props
}): JSX.Element {
  const found = useSignal<{ readonly View?: ComponentType<Props> }>({})
  useEffect(() => void load().then((Found) => (found.value = { View: Found })), [])
  const { View: Found } = found.value
  return Found ? <Found {...props} /> : <Loaded of={{ isLoading: true }}>{() => null}</Loaded>
}
