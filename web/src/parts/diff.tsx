import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { useResource } from '../api.ts'
import { counted, thousands } from '../format.ts'
import type { DiffFileView, DiffView, FilePatch } from '../types.ts'
import { Copy, Fold, Loaded } from './basics.tsx'
import { VirtualList } from './virtual.tsx'

type Line = FilePatch['hunks'][number]['lines'][number]
type Row = Line | undefined

const LINE_HEIGHT = 20
const HEIGHT_MAX = 600
/** A longer line is cut: nobody reads a minified file, and the browser would take seconds. */
const LINE_LENGTH_MAX = 1000
/** Files that open by themselves. */
const OPEN_MAX = 5

/** What an iteration changed: the files with their counts, and the lines of each on demand. */
export function Diff({
  run,
  iteration,
  version = 0,
}: {
  readonly run: string
  readonly iteration: number
  readonly version?: unknown
}): JSX.Element {
  const path = `/runs/${encodeURIComponent(run)}/iterations/${iteration}/diff`
  const found = useResource<DiffView>(path, version)
  return (
    <Loaded of={found} height={80}>
      {({ files, filesChanged, insertions, deletions, isCut, command }) =>
        files.length === 0 ? (
          <p class="pad soft">It changed no file.</p>
        ) : (
          <div>
            <p class="pad small soft num">
              {counted(filesChanged, 'file')} <span class="good">+{thousands(insertions)}</span>{' '}
              <span class="bad">−{thousands(deletions)}</span>
            </p>
            <ul class="list">
              {files.map((file, index) => (
                <li key={file.path}>
                  <File
                    path={path}
                    file={file}
                    isOpen={index < OPEN_MAX && file.isFolded !== true && file.insertions !== undefined}
                  />
                </li>
              ))}
            </ul>
            {(isCut || filesChanged > files.length) && (
              <div class="pad stack tight small">
                <span class="soft">The journal keeps only a part of this diff. All of it:</span>
                <Copy text={command} />
              </div>
            )}
          </div>
        )
      }
    </Loaded>
  )
}

function File({
  path,
  file,
  isOpen,
}: {
  readonly path: string
  readonly file: DiffFileView
  readonly isOpen: boolean
}): JSX.Element {
  const { insertions, deletions, change, renamedFrom } = file
  const title = (
    <span class="row">
      <code>{renamedFrom === undefined ? file.path : `${renamedFrom} → ${file.path}`}</code>
      {change !== 'modified' && <span class="tag">{change}</span>}
      <span class="num small">
        {insertions !== undefined && <span class="good">+{thousands(insertions)} </span>}
        {deletions !== undefined && <span class="bad">−{thousands(deletions)}</span>}
      </span>
    </span>
  )
  return (
    <Fold title={title} isOpen={isOpen}>
      {() => <Patch path={`${path}?file=${encodeURIComponent(file.path)}`} name={file.path} />}
    </Fold>
  )
}

function Patch({ path, name }: { readonly path: string; readonly name: string }): JSX.Element {
  const found = useResource<FilePatch>(path)
  return (
    <Loaded of={found} height={60}>
      {(patch) => (
        <>
          <Hunks patch={patch} name={name} />
          {patch.isCut && <p class="small soft">The rest of this file’s changes is left out here.</p>}
        </>
      )}
    </Loaded>
  )
}

/** The hunks of one file. Of a long one only what is in sight is drawn. */
function Hunks({ patch, name }: { readonly patch: FilePatch; readonly name: string }): JSX.Element {
  const rows = useMemo(
    () => patch.hunks.flatMap(({ lines }, index): readonly Row[] => (index === 0 ? lines : [undefined, ...lines])),
    [patch],
  )
  const scroller = useRef<HTMLDivElement>(null)
  const paint = useSignal<{ readonly line?: ((text: string) => JSX.Element | string) | undefined }>({})
  useEffect(() => {
    void import('../highlight.tsx').then(({ highlighter }) => (paint.value = { line: highlighter(name) }))
  }, [name])
  if (rows.length === 0) return <p class="soft small">No lines to show: the file is binary, or only its mode or name changed.</p>
  const row = (index: number): JSX.Element => {
    const line = rows[index]
    if (!line)
      return (
        <div key={index} class="diff-line hunk" role="listitem">
          <span />
          <span aria-hidden="true">⋯</span>
          <span class="hidden">further down</span>
        </div>
      )
    const { sign, text } = line
    const shown =
      text.length > LINE_LENGTH_MAX
        ? `${text.slice(0, LINE_LENGTH_MAX)} … (${thousands(text.length - LINE_LENGTH_MAX)} more)`
        : text
    return (
      <div key={index} class={`diff-line ${sign === '+' ? 'add' : sign === '-' ? 'del' : ''}`} role="listitem">
        <span>{line.line}</span>
        <span aria-hidden="true">{sign === '-' ? '−' : sign}</span>
        <span>
          {sign !== ' ' && <span class="hidden">{sign === '+' ? 'added: ' : 'removed: '}</span>}
          {paint.value.line?.(shown) ?? shown}
        </span>
      </div>
    )
  }
  const height = Math.min(rows.length * LINE_HEIGHT, HEIGHT_MAX)
  return (
    <div
      ref={scroller}
      class="diff"
      tabIndex={0}
      role="group"
      aria-label={`Changes in ${name}`}
      style={{ height: `${height + 14}px` }}
    >
      <VirtualList count={rows.length} rowHeight={LINE_HEIGHT} row={row} scroller={scroller} label={`Lines of ${name}`} />
    </div>
  )
}
