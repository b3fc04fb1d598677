import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readCleanText } from './read-clean-text.ts'

/**
 * Keeps the whole output of a program for a parser: a little in memory, more in a temporary file that has no name from the
 * moment it is opened, so that nothing is left behind however we end. Past `bytesMax` it keeps nothing at all.
 */
export class OutputSpool {
  readonly #bytesMax: number
  #bytes = 0
  #memory: Buffer[] = []
  #descriptor: number | undefined
  #problem: string | undefined

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  push(bytes: Buffer): void {
    if (this.#problem !== undefined) return
    this.#bytes += bytes.length
    if (this.#bytes > this.#bytesMax) return this.#giveUp(`it is longer than ${this.#bytesMax / 1024 / 1024} MiB`)
    if (this.#descriptor === undefined && this.#bytes <= MEMORY_BYTES_MAX) {
      this.#memory.push(Buffer.from(bytes))
      return
    }
    try {
      this.#descriptor ??= this.#spill()
      writeWhole(this.#descriptor, bytes)
    } catch (error) {
      this.#giveUp(`it could not be kept in ${tmpdir()} (${(error as Error).message})`)
    }
  }

  /** Why `text` cannot be had; `undefined` when it can. */
  get problem(): string | undefined {
    return this.#problem
  }

  /** The whole output as clean text. */
  async text(): Promise<string> {
    if (this.#descriptor === undefined) this.#descriptor = this.#spill()
    return readCleanText(this.#descriptor, this.#bytes)
  }

  /** Frees the file. Nothing can be read afterwards. */
  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor)
    this.#descriptor = undefined
    this.#memory = []
  }

  #spill(): number {
    const descriptor = openUnnamed()
    for (const bytes of this.#memory) writeWhole(descriptor, bytes)
    this.#memory = []
    return descriptor
  }

  #giveUp(problem: string): void {
    this.#problem = problem
    this.close()
  }
}

/** About what is kept of every output anyway; most outputs end here and cost no file. */
const MEMORY_BYTES_MAX = 512 * 1024

function openUnnamed(): number {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-spool-'))
  try {
    return openSync(join(folder, 'output'), 'wx+', 0o600)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function writeWhole(descriptor: number, bytes: Buffer): void {
  for (let written = 0; written < bytes.length;) written += writeSync(descriptor, bytes, written)
}
