// Part of set-up: the same limits on syntax as in setup.mjs.
import fs from 'node:fs'
import { dirname } from 'node:path'

/**
 * Does the work while holding the lock file `path`, so that one set-up works on a folder at a time. The holder touches the file
 * every `beatMs`; one that stays the same for 20 looks was left by a set-up that was killed. Looks are counted and no clocks
 * compared, so a laptop that slept takes nothing from anyone.
 */
export async function withLock(path, work, beatMs = 500) {
  fs.mkdirSync(dirname(path), { recursive: true })
  const token = `${process.pid} ${Math.random()}`
  await acquire(path, token, beatMs)
  const beat = setInterval(() => touch(path), beatMs)
  try {
    await work()
  } finally {
    clearInterval(beat)
    if (read(path) === token) fs.unlinkSync(path)
  }
}

const QUIET_LOOKS_MAX = 20

async function acquire(path, token, beatMs) {
  let signSeen
  let quietLooks = 0
  for (let looks = 0; !tryToCreate(path, token); looks += 1) {
    if (looks === 0) process.stderr.write('Waiting for another set-up of this folder to finish …\n')
    const sign = signOfLife(path)
    quietLooks = sign === signSeen ? quietLooks + 1 : 0
    signSeen = sign
    if (quietLooks >= QUIET_LOOKS_MAX) {
      process.stderr.write('It gave no sign of life: going on without it.\n')
      fs.rmSync(path, { force: true })
    } else {
      await new Promise((resolve) => setTimeout(resolve, beatMs))
    }
  }
}

function tryToCreate(path, token) {
  try {
    fs.writeFileSync(path, token, { flag: 'wx' })
    return true
  } catch (error) {
    if (error.code === 'EEXIST') return false
    throw error
  }
}

function signOfLife(path) {
  try {
    return `${fs.statSync(path).mtimeMs} ${read(path)}`
  } catch (error) {
    if (error.code === 'ENOENT') return 'gone'
    throw error
  }
}

function touch(path) {
  const now = new Date()
  try {
    fs.utimesSync(path, now, now)
  } catch (error) {
    // Taken over by one that thought we were gone, or removed with node_modules: nothing to keep alive.
    if (error.code !== 'ENOENT') throw error
  }
}

function read(path) {
  return fs.existsSync(path) ? fs.readFileSync(path, 'utf8') : undefined
}
