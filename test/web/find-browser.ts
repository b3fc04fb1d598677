import { existsSync } from 'node:fs'

const PATHS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** The browser of this machine; undefined if there is none. */
export const browserPath = PATHS.find((path) => existsSync(path))

/** Why there is nothing to test with; undefined if there is a browser. */
export const NO_BROWSER =
  browserPath === undefined ? `No browser found (${PATHS.join(', ')}). On Debian: apt-get install chromium` : undefined

/** A browser that asks nothing of the network. */
export const BROWSER_FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
] as const
