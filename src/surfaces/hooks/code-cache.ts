import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { Module } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { Script } from 'node:vm'

/**
 * Keeps the compiled code of the bundle's files in a folder, with all functions that ran: a third of what a hook costs is compiling
 * them. Node's own cache has only what is compiled before anything runs. The files are named by their content, so what is kept of one
 * never fits another; V8 itself refuses what another version made.
 */
export function keepCode(folder: string): { for(purpose: string): void } {
  const prototype = Module.prototype as unknown as { _compile: Compile }
  const compile = prototype._compile
  let purpose = 'start'
  prototype._compile = function compileWithCache(this: LoadingModule, content, filename, ...rest) {
    if (!filename.endsWith('.cjs')) return compile.call(this, content, filename, ...rest)
    const path = join(folder, `${basename(filename)}.${purpose}.${process.version}`)
    return runCached(path, wrapped(content), filename)(this.exports, (id) => this.require(id), this, filename, dirname(filename))
  }
  return { for: (next) => (purpose = next) }
}

type Compile = (this: LoadingModule, content: string, filename: string, ...rest: readonly unknown[]) => unknown

interface LoadingModule {
  readonly exports: unknown
  require(id: string): unknown
}

type Wrapper = (
  exports: unknown,
  require: (id: string) => unknown,
  module: LoadingModule,
  file: string,
  folder: string,
) => unknown

function wrapped(content: string): string {
  return `(function (exports, require, module, __filename, __dirname) {${content}\n})`
}

/** What is to be kept in the end: one listener for all of it, since Node warns of many. */
const unkept = new Map<string, Script>()

function keepInTheEnd(path: string, script: Script): void {
  if (unkept.size === 0) process.once('exit', () => unkept.forEach((each, to) => keep(to, each)))
  unkept.set(path, script)
}

function runCached(path: string, source: string, filename: string): Wrapper {
  const cachedData = bytesOf(path)
  const script = new Script(source, { filename, ...(cachedData ? { cachedData } : {}) })
  if (!cachedData || script.cachedDataRejected) keepInTheEnd(path, script)
  return script.runInThisContext() as Wrapper
}

function bytesOf(path: string): Buffer | undefined {
  try {
    return readFileSync(path)
  } catch {
    // The first time there is none, and where it cannot be read we go on without.
    return undefined
  }
}

/** At the end, when it is known what was needed. Where nothing can be written, every hook compiles anew. */
function keep(path: string, script: Script): void {
  try {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(`${path}.${process.pid}`, script.createCachedData())
    renameSync(`${path}.${process.pid}`, path)
  } catch {
    // A cache is never a reason to fail.
  }
}
