import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
import { sqliteStore } from '../../src/stores/sqlite-store.ts'
import type { Store } from '../../src/stores/store.ts'
import { serveProject, type Serving } from '../../src/surfaces/http/serve.ts'
import { BROWSER_FLAGS, browserPath } from '../../test/web/find-browser.ts'
import { gridJournal, longJournal, putRun, shortJournal } from '../../test/web/seeded-store.ts'
import { atMost } from '../bound.ts'
import type { Figure, Measurement } from '../figure.ts'
import { withTemporaryFolder } from '../temporary-folder.ts'
import { milliseconds } from '../wording.ts'

const PAGE = join(import.meta.dirname, '..', '..', 'dist', 'web')
const TRIES = 5
const OPEN_MS = 1000
const BLOCKED_MS = 300

/** What a browser needs to show a list of 10,000 runs, ready to use: the share of a second, median. */
export const pageList: Figure = opening({
  name: 'page-list',
  what: 'A list of 10,000 runs',
  path: '/',
  mark: 'tbody tr a',
  fill: async (store, now) => {
    for (let index = 0; index < 10_000; index++) await putRun(store, `task-${index}`, shortJournal(index, now))
  },
})

/** The same for a run of 10,000 iterations. */
export const pageRun: Figure = opening({
  name: 'page-run',
  what: 'A run of 10,000 iterations',
  path: '/runs/long',
  mark: '.iteration',
  fill: (store, now) => putRun(store, 'long', longJournal(10_000, now)),
})

/** The same for 10,000 tests by 200 iterations. */
export const pageGrid: Figure = opening({
  name: 'page-grid',
  what: 'A grid of 10,000 tests by 200 iterations',
  path: '/runs/grid/tests',
  mark: '[role=gridcell]',
  fill: (store, now) => putRun(store, 'grid', gridJournal(10_000, 200, now)),
})

/** The longest time that a page can't react while somebody opens a change of 20 MB in a lock file: the share of 300 ms. */
export const pageDiff: Figure = {
  name: 'page-diff',
  bound: atMost(1),
  measure: (say) =>
    withPage(
      say,
      async (store, now) => {
        const lines = Array.from(
          { length: 330_000 },
          (_, index) => `+      "integrity": "sha512-${index.toString(36).padStart(40, 'x')}",`,
        )
        const patch = `diff --git a/package-lock.json b/package-lock.json\n--- a/package-lock.json\n+++ b/package-lock.json\n@@ -0,0 +1,${lines.length} @@\n${lines.join('\n')}\n`
        const diff = await store.putText({ text: patch, bytesCut: 0 })
        const events = shortJournal(0, now).map((event) =>
          event.type === 'workspace.observed' ? { ...event, data: { ...event.data, files: ['package-lock.json'], diff } } : event,
        )
        await putRun(store, 'locked', events as never)
      },
      async (page, serving) => {
        await page.addInitScript(() => {
          const kept = ((globalThis as { blocked?: number[] }).blocked = [] as number[])
          new PerformanceObserver((list) => kept.push(...list.getEntries().map(({ duration }) => duration))).observe({
            type: 'longtask' as never,
            buffered: true,
          })
        })
        const longest: number[] = []
        for (let round = 0; round < TRIES; round++) {
          await page.goto(`${serving.url}/runs/locked/iterations/1`)
          const fold = page.getByRole('button', { name: /package-lock\.json/ }).first()
          await fold.waitFor()
          if ((await fold.getAttribute('aria-expanded')) !== 'true') await fold.click()
          await page.locator('.diff-line').first().waitFor()
          await page.locator('.diff').evaluate((box) => (box.scrollTop = box.scrollHeight))
          await page.waitForTimeout(300)
          longest.push(Math.max(0, ...(await page.evaluate(() => (globalThis as { blocked?: number[] }).blocked ?? []))))
        }
        const value = middle(longest)
        return {
          status: 'measured',
          value: value / BLOCKED_MS,
          details: [
            `A change of 20 MB in package-lock.json opened, unfolded and scrolled to its end: the longest time without a reaction was ${milliseconds(value)} (median of ${TRIES}).`,
          ],
        }
      },
    ),
}

function opening({
  name,
  what,
  path,
  mark,
  fill,
}: {
  readonly name: string
  readonly what: string
  readonly path: string
  /** What is there when the view is ready. */
  readonly mark: string
  fill(store: Store, now: number): Promise<void>
}): Figure {
  return {
    name,
    bound: atMost(1),
    measure: (say) =>
      withPage(say, fill, async (page, serving) => {
        say('the first visit')
        const first = await opened(page, `${serving.url}${path}`, mark)
        const times: number[] = []
        for (let round = 0; round < TRIES; round++) times.push(await opened(page, `${serving.url}${path}`, mark))
        const value = middle(times)
        return {
          status: 'measured',
          value: value / OPEN_MS,
          details: [
            `${what}: ${milliseconds(value)} from the address to the first row (median of ${TRIES}); ${milliseconds(first)} when the server hadn't read it yet.`,
          ],
        }
      }),
  }
}

async function opened(page: Page, address: string, mark: string): Promise<number> {
  await page.goto('about:blank')
  const at = performance.now()
  await page.goto(address, { waitUntil: 'commit' })
  await page.locator(mark).first().waitFor()
  return performance.now() - at
}

async function withPage(
  say: (line: string) => void,
  fill: (store: Store, now: number) => Promise<void>,
  measure: (page: Page, serving: Serving) => Promise<Measurement>,
): Promise<Measurement> {
  if (browserPath === undefined)
    return { status: 'unmeasured', reason: 'There is no browser here. On Debian: apt-get install chromium' }
  if (!existsSync(join(PAGE, 'index.html'))) return { status: 'unmeasured', reason: 'The page is not built: npm run build' }
  return withTemporaryFolder(async (folder) => {
    const storePath = join(folder, '.pawl', 'pawl.db')
    say('a store')
    const store = sqliteStore({ path: storePath, synchronous: 'NORMAL' })
    await fill(store, Date.now())
    await store.close()
    const serving = await serveProject({
      root: folder,
      configPath: join(folder, 'pawl.yaml'),
      storePath,
      port: 0,
      userFolder: join(folder, 'user'),
      page: PAGE,
    })
    let browser: Browser | undefined
    try {
      browser = await chromium.launch({ executablePath: browserPath ?? '', args: [...BROWSER_FLAGS] })
      const page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
      page.setDefaultTimeout(180_000)
      await page.goto(serving.link)
      return await measure(page, serving)
    } finally {
      await browser?.close()
      await serving.close()
    }
  })
}

function middle(times: readonly number[]): number {
  return times.toSorted((one, other) => one - other)[times.length >> 1] ?? 0
}
