import { computed, signal } from '@preact/signals'

/** Where the page is. A report opened from disk has no server, so its places are in the part after `#`. */
export interface Place {
  readonly path: readonly string[]
  readonly query: URLSearchParams
}

const isFile = location.protocol === 'file:' || document.querySelector('#data') !== null
const href = signal(read())

function read(): string {
  return isFile ? location.hash.slice(1) || '/' : location.pathname + location.search
}

/** The present place. */
export const place = computed<Place>(() => {
  const [path = '', query = ''] = href.value.split('?')
  return { path: path.split('/').filter(Boolean).map(decode), query: new URLSearchParams(query) }
})

function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** The address of a place, for links. */
export function to(path: readonly (string | number)[], query: Readonly<Record<string, string | undefined>> = {}): string {
  const search = new URLSearchParams(Object.entries(query).filter((each): each is [string, string] => !!each[1])).toString()
  return `${isFile ? '#' : ''}/${path.map((part) => encodeURIComponent(part)).join('/')}${search && `?${search}`}`
}

/** Goes to an address of this page. `replace`: without a new entry in the history, for filters. */
export function go(address: string, { replace = false } = {}): void {
  history[replace ? 'replaceState' : 'pushState'](null, '', address)
  href.value = read()
  if (!replace) {
    scrollTo(0, 0)
    queueMicrotask(() => document.querySelector<HTMLElement>('main')?.focus({ preventScroll: true }))
  }
}

/** Changes parts of the query and stays in the same place. */
export function setQuery(changes: Readonly<Record<string, string | undefined>>): void {
  const { path, query } = place.value
  go(to(path, { ...Object.fromEntries(query), ...changes }), { replace: true })
}

addEventListener('popstate', () => (href.value = read()))
addEventListener('hashchange', () => (href.value = read()))
addEventListener('click', (event) => {
  const link = event.target instanceof Element ? event.target.closest('a') : null
  if (!link || event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return
  const address = link.getAttribute('href') ?? ''
  if (link.target || link.hasAttribute('download') || !(address.startsWith('/') || address.startsWith('#/'))) return
  event.preventDefault()
  go(address)
})
