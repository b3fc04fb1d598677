import { useSignal } from '@preact/signals'
import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { Problem, Resource } from '../api.ts'
import { ago, dateAndTime } from '../format.ts'
import { now } from '../live.ts'
import { Chevron, Shape } from './icons.tsx'

/** What a status is called, and its shape. A run that nobody drives isn't running. */
function statusOf({
  status,
  isHeld,
}: {
  readonly status: string
  readonly isHeld?: boolean | undefined
}): readonly [shape: string, word: string] {
  if (status === 'running' && isHeld === false) return ['idle', 'idle']
  return [status, WORDS[status] ?? status]
}

const WORDS: Readonly<Record<string, string>> = {
  completed: 'done',
  escalated: 'needs answer',
  aborted: 'ended',
  waiting: 'waiting',
}

/** A run's status: shape, colour and word. */
export function Status(props: { readonly status: string; readonly isHeld?: boolean | undefined }): JSX.Element {
  const [shape, word] = statusOf(props)
  return (
    <span class={`status ${shape}`}>
      <Shape name={shape} />
      {word}
    </span>
  )
}

/** "3 min ago", with the date for who hovers. */
export function Age({ at }: { readonly at: number }): JSX.Element {
  return (
    <time class="num" dateTime={new Date(at).toISOString()} title={dateAndTime(at)}>
      {ago(at, now.value)}
    </time>
  )
}

/** A command to copy. */
export function Copy({ text, label = 'the command' }: { readonly text: string; readonly label?: string }): JSX.Element {
  const isDone = useSignal(false)
  const copy = async (): Promise<void> => {
    await copyText(text)
    isDone.value = true
    setTimeout(() => (isDone.value = false), 1500)
  }
  return (
    <div class="copy">
      <code>{text}</code>
      <button type="button" class="plain" onClick={() => void copy()}>
        {isDone.value ? 'Copied' : 'Copy'}
        <span class="hidden"> {label}</span>
      </button>
    </div>
  )
}

/** The clipboard is there only on https and loopback; elsewhere a selection does it. */
async function copyText(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text)
  const area = document.createElement('textarea')
  area.value = text
  document.body.append(area)
  area.select()
  document.execCommand('copy')
  area.remove()
}

/** Something that opens. Its content is made only then. */
export function Fold({
  title,
  aside,
  isOpen = false,
  children,
}: {
  readonly title: ComponentChildren
  readonly aside?: ComponentChildren
  readonly isOpen?: boolean
  readonly children: () => ComponentChildren
}): JSX.Element {
  const open = useSignal(isOpen)
  return (
    <div>
      <div class="row between">
        <button type="button" class="fold" aria-expanded={open.value} onClick={() => (open.value = !open.value)}>
          <Chevron isOpen={open.value} />
          {title}
        </button>
        {aside}
      </div>
      {open.value && children()}
    </div>
  )
}

/** A part of a page with a title. */
export function Panel({
  title,
  aside,
  children,
  label,
}: {
  readonly title?: ComponentChildren
  readonly aside?: ComponentChildren
  readonly label?: string
  readonly children?: ComponentChildren
}): JSX.Element {
  return (
    <section class="panel" {...(label === undefined ? {} : { 'aria-label': label })}>
      {title !== undefined && (
        <header>
          <h2>{title}</h2>
          {aside}
        </header>
      )}
      {children}
    </section>
  )
}

/** How much text the page draws at once: a browser needs seconds for a line of 10 MB. */
const SHOWN_MAX = 20_000

/**
 * Text of an agent or a check, always as text. Control characters become visible signs, and marks that turn the direction of writing
 * too: what is read is what is there.
 */
export function Text({ text, isWords = false }: { readonly text: string; readonly isWords?: boolean }): JSX.Element {
  const shown = useSignal(SHOWN_MAX)
  const rest = text.length - shown.value
  return (
    <div class="stack tight">
      <div
        class={isWords ? 'words' : 'text'}
        tabIndex={isWords ? -1 : 0}
        role={isWords ? undefined : 'group'}
        aria-label={isWords ? undefined : 'Text'}
      >
        {text.slice(0, shown.value)}
      </div>
      {rest > 0 && (
        <button type="button" class="plain" onClick={() => (shown.value += SHOWN_MAX * 5)}>
          Show more ({rest.toLocaleString('en')} characters left)
        </button>
      )}
    </div>
  )
}

/** What a resource came to: its data, else its error or that it's on its way. The place it takes stays the same. */
export function Loaded<T>({
  of,
  height = 120,
  children,
}: {
  readonly of: Resource<T>
  readonly height?: number
  readonly children: (data: T) => ComponentChildren
}): JSX.Element {
  if (of.data !== undefined) return <>{children(of.data)}</>
  if (of.error) return <Failure problem={of.error} />
  return (
    <div class="skeleton" style={{ minHeight: `${height}px` }} role="status">
      <span class="hidden">Loading</span>
    </div>
  )
}

/** What went wrong, and what to do. */
export function Failure({ problem }: { readonly problem: Problem }): JSX.Element {
  return (
    <div class="note bad" role="alert">
      <strong>
        {problem.status === 404
          ? 'Not found'
          : problem.status === 401 || problem.status === 403
            ? 'Not signed in'
            : 'That didn’t work'}
      </strong>
      <p>{problem.message}</p>
      {problem.status === 401 && (
        <p>
          With a code from <code>pawl serve --pair</code>:{' '}
          <a href="/pair" target="_self">
            pair this device
          </a>
        </p>
      )}
    </div>
  )
}

/** A dialog of the browser's own: focus stays in it, Esc closes it. */
export function Dialog({
  title,
  onClose,
  children,
}: {
  readonly title: string
  readonly onClose: () => void
  readonly children: ComponentChildren
}): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog ref={dialog} aria-label={title} onClose={onClose}>
      <div class="stack">
        <div class="row between">
          <h2>{title}</h2>
          <button type="button" class="plain" onClick={() => dialog.current?.close()}>
            Close
          </button>
        </div>
        {children}
      </div>
    </dialog>
  )
}

/** Failing tests over the iterations, small. */
export function Spark({
  values,
  width = 96,
  height = 22,
}: {
  readonly values: readonly number[]
  readonly width?: number
  readonly height?: number
}): JSX.Element {
  if (values.length === 0) return <svg class="spark" width={width} height={height} aria-hidden="true" />
  const max = Math.max(1, ...values)
  const x = (index: number): number => (values.length === 1 ? width - 3 : 3 + (index * (width - 6)) / (values.length - 1))
  const y = (value: number): number => height - 3 - (value * (height - 6)) / max
  const last = values.at(-1) ?? 0
  const line = values.map((value, index) => `${index === 0 ? 'M' : 'L'}${x(index).toFixed(1)} ${y(value).toFixed(1)}`).join('')
  return (
    <svg
      class={`spark ${last === 0 ? 'zero' : ''}`}
      width={width}
      height={height}
      role="img"
      aria-label={`Failing tests: ${values.slice(-8).join(', ')}`}
    >
      <path d={line} />
      <circle cx={x(values.length - 1)} cy={y(last)} r="2.5" />
    </svg>
  )
}
