import { createHash, randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { mkdir, open, readFile, rename, rm, type FileHandle } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { PawlError } from '../core/pawl-error.ts'
import { isThere } from './is-there.ts'

/** A content in the store. */
export interface KeptContent {
  readonly sha256: string
  readonly bytes: number
}

/**
 * Keeps a file's content, each distinct one once, and flushes it to disk; `onNew` hears of one that was not there yet.
 * `undefined` when it is no regular file any more.
 */
export async function keepContent(
  store: string,
  path: string,
  onNew: (sha256: string) => void,
): Promise<KeptContent | undefined> {
  // Not following and not blocking, should a link or a pipe have taken the file's place meanwhile.
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    const found = await file.stat()
    if (!found.isFile()) return undefined
    return found.size <= IN_MEMORY_BYTES_MAX
      ? await keepSmall(store, await file.readFile(), onNew)
      : await keepLarge(store, file, onNew)
  } finally {
    await file.close()
  }
}

/** Where the content with this hash is. */
export function contentPath(store: string, sha256: string): string {
  return join(store, 'objects', sha256.slice(0, 2), sha256.slice(2))
}

/** A content by its hash; refuses when somebody deleted it. */
export async function readContent(store: string, sha256: string): Promise<Buffer> {
  return readFile(contentPath(store, sha256)).catch((cause: unknown) => {
    throw contentMissing(store, sha256, cause)
  })
}

/** Says that the store is no longer whole. */
export function contentMissing(store: string, sha256: string, cause?: unknown): PawlError {
  return new PawlError(
    'workspace.content-missing',
    `The content ${sha256} is missing from ${store}: part of the store was deleted, so this snapshot cannot be used.`,
    { value: sha256, cause },
  )
}

const IN_MEMORY_BYTES_MAX = 4 * 1024 * 1024

async function keepSmall(store: string, content: Buffer, onNew: (sha256: string) => void): Promise<KeptContent> {
  const sha256 = createHash('sha256').update(content).digest('hex')
  if (!(await isThere(contentPath(store, sha256)))) {
    await keepIncoming(store, async (incoming) => {
      await incoming.writeFile(content)
      return sha256
    })
    onNew(sha256)
  }
  return { sha256, bytes: content.length }
}

/** Copied and hashed in one go: it may change between two readings. */
async function keepLarge(store: string, file: FileHandle, onNew: (sha256: string) => void): Promise<KeptContent> {
  const hash = createHash('sha256')
  let bytes = 0
  const sha256 = await keepIncoming(store, async (incoming) => {
    for await (const chunk of file.createReadStream({ autoClose: false })) {
      hash.update(chunk as Buffer)
      bytes += (chunk as Buffer).length
      await incoming.writeFile(chunk as Buffer)
    }
    return hash.digest('hex')
  })
  onNew(sha256)
  return { sha256, bytes }
}

/** Nothing gets its final name before it is whole and on disk. */
async function keepIncoming(store: string, fill: (incoming: FileHandle) => Promise<string>): Promise<string> {
  const path = join(store, `incoming-${randomUUID()}`)
  const incoming = await open(path, 'wx', 0o600)
  try {
    const sha256 = await fill(incoming)
    await incoming.sync()
    await mkdir(dirname(contentPath(store, sha256)), { recursive: true })
    await rename(path, contentPath(store, sha256))
    return sha256
  } finally {
    await incoming.close()
    await rm(path, { force: true })
  }
}
