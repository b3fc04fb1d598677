import type { JSX } from 'preact'

/** The shapes of the statuses: each can be distinguished from the others without its colour. */
const SHAPES: Readonly<Record<string, JSX.Element>> = {
  running: (
    <path class="turn" d="M8 2a6 6 0 1 1-6 6" fill="none" stroke="currentColor" stroke-width="2.2" stroke-linecap="round" />
  ),
  completed: (
    <path
      d="m3 8.5 3.5 3.5L13 4.5"
      fill="none"
      stroke="currentColor"
      stroke-width="2.4"
      stroke-linecap="round"
      stroke-linejoin="round"
    />
  ),
  escalated: <path d="M8 1.5 14.5 8 8 14.5 1.5 8Z" fill="currentColor" />,
  stopped: <path d="M5.2 2h5.6L14 5.2v5.6L10.8 14H5.2L2 10.8V5.2Z" fill="currentColor" />,
  aborted: <path d="m4 4 8 8m0-8-8 8" stroke="currentColor" stroke-width="2.2" stroke-linecap="round" />,
  paused: <path d="M5 3v10M11 3v10" stroke="currentColor" stroke-width="2.6" stroke-linecap="round" />,
  idle: <circle cx="8" cy="8" r="5" fill="none" stroke="currentColor" stroke-width="2" />,
  damaged: <path d="M8 2 15 14H1Z" fill="none" stroke="currentColor" stroke-width="2" stroke-linejoin="round" />,
}

/** A status as a shape. */
export function Shape({ name }: { readonly name: string }): JSX.Element {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
      {SHAPES[name] ?? SHAPES['idle']}
    </svg>
  )
}

/** Which way a fold points. */
export function Chevron({ isOpen }: { readonly isOpen: boolean }): JSX.Element {
  return (
    <svg class="icon soft" viewBox="0 0 16 16" aria-hidden="true">
      <path
        d={isOpen ? 'm4 6 4 4 4-4' : 'm6 4 4 4-4 4'}
        fill="none"
        stroke="currentColor"
        stroke-width="2"
        stroke-linecap="round"
        stroke-linejoin="round"
      />
    </svg>
  )
}
