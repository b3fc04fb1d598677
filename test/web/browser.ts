import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { afterAll, type TestContext } from 'vitest'
import { type Project, until } from '../e2e/project.ts'
import type { PawlProcess } from '../e2e/pawl-process.ts'
import { BROWSER_FLAGS, browserPath } from './find-browser.ts'

export { NO_BROWSER } from './find-browser.ts'

let browser: Promise<Browser> | undefined

afterAll(async () => {
  await (await browser)?.close()
  browser = undefined
})

/** A tab in a window of its own, which is closed with the test. What the page logs as an error, or throws, is in `problems`. */
export async function openTab(
  test: Pick<TestContext, 'onTestFinished'>,
  options: BrowserContextOptions = {},
): Promise<{ readonly page: Page; readonly problems: string[] }> {
  browser ??= chromium.launch({ executablePath: browserPath ?? '', args: [...BROWSER_FLAGS] })
  const context = await (await browser).newContext({ viewport: { width: 1280, height: 900 }, ...options })
  test.onTestFinished(() => context.close())
  const page = await context.newPage()
  page.setDefaultTimeout(60_000)
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(error.message))
  page.on('console', (message) => {
    // A server that is gone is what some tests are about.
    if (message.type() === 'error' && !/net::ERR|Failed to load resource/.test(message.text())) problems.push(message.text())
  })
  return { page, problems }
}

/** A server that a test started. */
export interface Server {
  readonly url: string
  /** With the token, for the first visit. */
  readonly link: string
  readonly process: PawlProcess
}

/** Serves a project with the built program, as a user would. `port`: default a free one. */
export async function serve(project: Project, { port = 0, drive = false } = {}): Promise<Server> {
  const started = project.start(['serve', '--port', String(port), '--json', ...(drive ? ['--drive'] : [])])
  const line = await until('the server listens', async () => {
    if (started.isOver()) throw new Error(`pawl serve ended: ${started.printed()}`)
    return /^\{.*"link".*\}$/m.exec(started.printed())?.[0]
  })
  return { ...(JSON.parse(line) as { readonly url: string; readonly link: string }), process: started }
}
