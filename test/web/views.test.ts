import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { sqliteStore } from '../../src/stores/sqlite-store.ts'
import { makeProject, type Project } from '../e2e/project.ts'
import { NO_BROWSER, openTab, serve, type Server } from './browser.ts'
import { gridJournal, longJournal, putGoldenRuns, putRun, shortJournal } from './seeded-store.ts'

/** A project whose store has runs of every loop. */
async function seeded(project: Project, runs: number): Promise<void> {
  mkdirSync(dirname(project.storePath), { recursive: true })
  const store = sqliteStore({ path: project.storePath })
  const now = Date.now()
  await putGoldenRuns(store, now)
  for (let index = 0; index < runs; index++) await putRun(store, `task-${index}`, shortJournal(index, now))
  await store.close()
}

const ASKS = 'the-same-failure-and-a-streak-together-ask-a-person-who-is-n'
const VIEWS = [
  ['/', 'h1'],
  ['/?q=nothing+is+called+so', '.empty'],
  [`/runs/${ASKS}`, '.option'],
  ['/runs/success-in-three-iterations/iterations/2', '.diff, .list'],
  ['/runs/grid/tests', '[role=gridcell]'],
  ['/runs/success-in-three-iterations/log', '[data-seq]'],
  ['/runs/research-settles-a-conflict-though-one-agent-fails-and-anoth/research', 'figure'],
  ['/runs/a-planner-plans-a-review-finds-it-unsafe-and-a-person-has-it/review', 'table'],
  ['/stats', '.figures'],
  ['/devices', '.list'],
  ['/compare?a=success-in-three-iterations&b=a-budget-stops-it', 'table'],
  ['/runs/there-is-no-such-run', '[role=alert]'],
] as const

async function violations(page: Page): Promise<readonly string[]> {
  return page.evaluate(async () => {
    const { axe: inPage } = window as unknown as {
      axe: { run(): Promise<{ violations: { id: string; nodes: { html: string; failureSummary?: string }[] }[] }> }
    }
    const result = await inPage.run()
    return result.violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary ?? ''}`),
    )
  })
}

async function enter(page: Page, server: Server): Promise<void> {
  await page.goto(server.link)
  await page.locator('h1').waitFor()
}

describe.skipIf(NO_BROWSER)(`the views in a browser${NO_BROWSER === undefined ? '' : ` (${NO_BROWSER})`}`, () => {
  test('PAGE-10 axe finds nothing to object to in any view, in both themes and on a phone', async (context) => {
    const project = await makeProject(context, { isGit: false })
    await seeded(project, 3)
    const store = sqliteStore({ path: project.storePath })
    await putRun(store, 'grid', gridJournal(60, 12, Date.now()))
    await store.close()
    const server = await serve(project)
    const found: string[] = []
    for (const [colorScheme, width] of [
      ['light', 1280],
      ['dark', 1280],
      ['light', 375],
    ] as const) {
      const { page } = await openTab(context, { colorScheme, viewport: { width, height: 900 } })
      await enter(page, server)
      for (const [path, mark] of VIEWS) {
        await page.goto(`${server.url}${path}`)
        await page.locator(mark).first().waitFor()
        await page.waitForTimeout(300)
        await page.evaluate(axe.source)
        found.push(...(await violations(page)).map((each) => `${colorScheme} ${width} ${path} ${each}`))
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
        if (overflow > 0) found.push(`${width} ${path} is ${overflow} px too wide`)
      }
    }
    expect(found).toEqual([])
  }, 900_000)

  test('PAGE-11 filters, search and sort are in the address, and the address brings them back', async (context) => {
    const project = await makeProject(context, { isGit: false })
    await seeded(project, 3)
    const server = await serve(project)
    const { page } = await openTab(context)
    await enter(page, server)
    await page.getByLabel('Loop', { exact: true }).selectOption('research')
    await page.getByLabel('Search runs').fill('conflict')
    await page.waitForURL(/loop=research.*q=conflict/)
    await page.getByText('1 run', { exact: false }).first().waitFor()
    await expect.poll(() => page.locator('tbody tr').count()).toBe(1)
    await page.reload()
    await expect.poll(() => page.locator('tbody tr').count()).toBe(1)
    expect(await page.getByLabel('Search runs').inputValue()).toBe('conflict')
    await page.goto(`${server.url}/`)
    await page.getByRole('button', { name: /^Cost/ }).click()
    await page.waitForURL(/sort=-cost/)
    expect(await page.locator('th[aria-sort=descending]').innerText()).toContain('Cost')
  })

  test('PAGE-12 keys: j and k move, Enter opens, / searches, ? helps, Esc goes back', async (context) => {
    const project = await makeProject(context, { isGit: false })
    await seeded(project, 3)
    const server = await serve(project)
    const { page } = await openTab(context)
    await enter(page, server)
    await page.locator('tbody tr').first().waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await page.keyboard.press('k')
    expect(await page.locator('tr[aria-selected=true]').getAttribute('data-row')).toBe('0')
    const name = await page.locator('tr[aria-selected=true] a').innerText()
    await page.keyboard.press('/')
    expect(await page.evaluate(() => document.activeElement?.getAttribute('type'))).toBe('search')
    await page.keyboard.press('Escape')
    await page.keyboard.press('?')
    await page.getByRole('dialog').getByText('Next run or iteration').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name }).waitFor()
    await page.keyboard.press('j')
    await page.waitForURL(/iterations\/\d+$/)
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await page.waitForURL(`${server.url}/`)
  })

  test('PAGE-13 of many runs, iterations and tests the page draws only what is in sight', async (context) => {
    const project = await makeProject(context, { isGit: false })
    await seeded(project, 300)
    const store = sqliteStore({ path: project.storePath })
    await putRun(store, 'long', longJournal(3000, Date.now()))
    await putRun(store, 'grid', gridJournal(2000, 60, Date.now()))
    await store.close()
    const server = await serve(project)
    const { page, problems } = await openTab(context)
    await enter(page, server)
    await page.locator('tbody tr').first().waitFor()
    expect(await page.locator('tbody tr').count()).toBeLessThanOrEqual(150)
    await page.goto(`${server.url}/runs/long`)
    await page.getByRole('link', { name: /#\s*3000/ }).waitFor()
    expect(await page.locator('.iteration').count()).toBeLessThan(100)
    await page.goto(`${server.url}/runs/grid/tests`)
    await page.locator('[role=gridcell]').first().waitFor()
    expect(await page.locator('[role=gridcell]').count()).toBeLessThan(3000)
    await page.locator('[role=grid]').evaluate((element) => (element.scrollTop = element.scrollHeight))
    await page
      .getByRole('rowheader', { name: /number 19\d\d/ })
      .first()
      .waitFor()
    await page.locator('.grid-cell.failed').first().click()
    await page
      .getByText(/is wrong|isn’t among them/)
      .first()
      .waitFor()
    expect(problems).toEqual([])
  })
})
