import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { makeProject, type Project } from '../e2e/project.ts'
import { NO_BROWSER, openTab, serve } from './browser.ts'

const WEB = join(import.meta.dirname, '..', '..', 'dist', 'web')

test('PAGE-1 the first paint takes at most 60 KB of JavaScript and CSS, gzipped, and no asset from elsewhere', () => {
  const html = readFileSync(join(WEB, 'index.html'), 'utf8')
  const assets = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path = '']) => path)
  const first = assets.filter((path) => /\.(?:js|css)$/.test(path))
  expect(first.length).toBeGreaterThan(1)
  expect(assets.filter((path) => !path.startsWith('/'))).toEqual([])
  const bytes = first.reduce((sum, path) => sum + gzipSync(readFileSync(join(WEB, path))).length, 0)
  expect(bytes).toBeLessThanOrEqual(60_000)
})

test('PAGE-2 the page has no script and no style inside its HTML', () => {
  const html = readFileSync(join(WEB, 'index.html'), 'utf8')
  expect(html).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\bon\w+=|style=/)
})

/** An agent that makes the check pass in its second iteration, and asks for a person if only one is allowed. */
async function secondTime(project: Project, more = ''): Promise<readonly string[]> {
  const agent = await project.script('agent.sh', `cat >/dev/null; ${more} echo "line $PAWL_ITERATION" >>a.txt`)
  return ['task', 'Line two is there', '--agent-command', agent, '--check', 'grep -q "line 2" a.txt']
}

describe.skipIf(NO_BROWSER)(`in a browser${NO_BROWSER === undefined ? '' : ` (${NO_BROWSER})`}`, () => {
  test('PAGE-3 a run that is started while the page is open appears, and is watched to its end', async (context) => {
    const project = await makeProject(context)
    const server = await serve(project)
    const { page, problems } = await openTab(context)
    await page.goto(server.link)
    await page.getByText('No runs yet').waitFor()
    const runner = project.start([...(await secondTime(project, 'wait_for go;')), '--id', 'watched'])
    await page.getByRole('link', { name: 'watched' }).first().click()
    await page.getByRole('heading', { level: 1, name: 'watched' }).waitFor()
    await page.getByText('Iteration 1: coder works').waitFor()
    await project.note('go')
    await page.locator('header .status.completed').waitFor()
    await page.getByRole('link', { name: /#\s*2/ }).waitFor()
    expect(await project.over(runner)).toMatchObject({ code: 0 })
    expect(problems).toEqual([])
  })

  test('PAGE-4 two taps at 375 px answer a question, and the run continues', async (context) => {
    const project = await makeProject(context)
    await project.pawl(...(await secondTime(project)), '--id', 'asks', '-n', '1')
    const server = await serve(project, { drive: true })
    const { page, problems } = await openTab(context, { viewport: { width: 375, height: 812 }, hasTouch: true })
    await page.goto(server.link)
    await page.getByRole('link', { name: /asks/ }).tap()
    await page.locator('.option').first().tap()
    await page.getByRole('button', { name: 'Answer and resume now' }).tap()
    await page.locator('header .status.completed').waitFor()
    expect(await project.of('asks', 'escalation.answered')).toHaveLength(1)
    expect(problems).toEqual([])
    const width = await page.evaluate(() => document.documentElement.scrollWidth)
    expect(width).toBeLessThanOrEqual(375)
  })

  test('PAGE-5 after kill -9 of the server the page connects again and has every event once', async (context) => {
    const project = await makeProject(context)
    const first = await serve(project)
    const { page } = await openTab(context)
    const runner = project.start([...(await secondTime(project, 'echo x >"$NOTES/waits"; wait_for go;')), '--id', 'lives'])
    await project.noted('waits')
    await page.goto(first.link)
    await page.goto(`${first.url}/runs/lives/log`)
    await page.locator('[data-seq="1"]').waitFor()
    first.process.signal('SIGKILL')
    await first.process.finished
    await page.getByText('Connecting again').first().waitFor()
    await project.note('go')
    expect(await project.over(runner)).toMatchObject({ code: 0 })
    await serve(project, { port: Number(new URL(first.url).port) })
    await page.locator('header .status.completed').waitFor()
    const events = (await project.pawl('log', 'lives', '--json')).stdout.trimEnd().split('\n')
    await page.locator(`[data-seq="${events.length}"]`).waitFor()
    const shown = await page
      .locator('[data-seq]')
      .evaluateAll((all) => all.map((each) => Number((each as HTMLElement).dataset['seq'])))
    expect(shown).toEqual(events.map((line) => (JSON.parse(line) as { seq: number }).seq))
  })

  test('PAGE-6 of two tabs that answer, the second shows who answered, when and what', async (context) => {
    const project = await makeProject(context)
    await project.pawl(...(await secondTime(project)), '--id', 'asks', '-n', '1')
    const server = await serve(project)
    const tabs = [await openTab(context), await openTab(context)]
    for (const { page } of tabs) {
      await page.goto(server.link)
      await page.goto(`${server.url}/runs/asks`)
      await page.locator('.option').first().click()
    }
    const [one, other] = tabs.map(({ page }) => page) as [Page, Page]
    // The second one doesn't hear of the first.
    await other.route('**/stream*', (route) => route.abort())
    await other.route('**/runs/asks', (route) => route.abort())
    const label = await one.locator('.option').first().innerText()
    await one.getByRole('button', { name: 'Answer 1' }).click()
    await one.getByText('Needs your answer').waitFor({ state: 'detached' })
    await other.getByRole('button', { name: 'Answer 1' }).click()
    const alert = other.getByRole('alert').filter({ hasText: 'Already answered' })
    await alert.waitFor()
    const words = await alert.innerText()
    expect(words).toMatch(/\bchose “.+”, \d+ \w+ \d{4}/)
    expect(label).toContain(/chose “(.+?)”/.exec(words)?.[1]?.slice(0, 20))
  })

  test('PAGE-7 hostile output is text: scripts, long lines, control characters and marks of direction', async (context) => {
    const project = await makeProject(context)
    writeFileSync(
      join(project.notes, 'hostile'),
      `<script>window.hacked=1</script><img src=x onerror="window.hacked=1">\u001B[31mred\u001B[0m\u0007\u202Eright to left\u202C\n${'x'.repeat(10_000_000)}\n`,
    )
    const agent = await project.script(
      'agent.sh',
      'cat >/dev/null; cat "$NOTES/hostile"; cp "$NOTES/hostile" "<b>evil.txt"; echo x >>a.txt',
    )
    const check = await project.script('check.sh', 'cat "$NOTES/hostile"; exit 1')
    await project.pawl(
      'task',
      '<script>window.hacked=1</script> goal \u202Egnorw\u202C',
      '--id',
      'hostile',
      '--agent-command',
      agent,
      '--check',
      check,
      '-n',
      '1',
    )
    const server = await serve(project)
    const { page, problems } = await openTab(context)
    await page.goto(server.link)
    await page.getByText('<script>window.hacked=1</script> goal').first().waitFor()
    // In no view does a mark turn the direction of writing, whoever wrote it.
    for (const path of ['', 'runs/hostile', 'runs/hostile/log', 'runs/hostile/tests', 'stats']) {
      await page.goto(`${server.url}/${path}`)
      await page.locator('h1').waitFor()
      await page.waitForTimeout(500)
      expect(await page.evaluate(() => /[\u200E\u200F\u202A-\u202E\u2066-\u2069]/.test(document.documentElement.outerHTML))).toBe(
        false,
      )
    }
    await page.goto(`${server.url}/runs/hostile/iterations/1`)
    await page.getByRole('button', { name: /What the agent said/ }).click()
    await page.getByText('⟨U+202E⟩').first().waitFor()
    await page
      .getByRole('button', { name: /Output/ })
      .first()
      .click()
    await page.getByText('<b>evil.txt').first().waitFor()
    const longest = await page.evaluate(() =>
      Math.max(
        ...[...document.querySelectorAll('main *')].map(({ childNodes }) =>
          Math.max(0, ...[...childNodes].map((node) => (node.nodeType === 3 ? (node.textContent ?? '').length : 0))),
        ),
      ),
    )
    expect(longest).toBeLessThan(100_000)
    expect(await page.evaluate(() => 'hacked' in window)).toBe(false)
    expect(problems).toEqual([])
  })

  test('PAGE-8 the tab says how many runs wait: in its title and its icon', async (context) => {
    const project = await makeProject(context)
    await project.pawl(...(await secondTime(project)), '--id', 'asks', '-n', '1')
    const server = await serve(project)
    const { page } = await openTab(context)
    await page.goto(server.link)
    await page.waitForFunction(() => document.title.startsWith('(1) '))
    expect(await page.locator('link[rel=icon]').getAttribute('href')).toBe('/favicon-1.svg')
    await page.getByText('1 waiting for you').waitFor()
    await project.pawl('abort', 'asks')
    await page.waitForFunction(() => document.title === 'Runs · Pawl')
  })

  test('PAGE-9 a report opens from disk with no network, and has the diff and what the check said', async (context) => {
    const project = await makeProject(context)
    await project.pawl(
      ...(await secondTime(project, 'echo "I did it </script><script>window.hacked=1</script>";')),
      '--id',
      'told',
    )
    const written = await project.pawl('report', 'told', '--html')
    expect(written).toMatchObject({ code: 0, stdout: expect.stringContaining('told.html') })
    const { page, problems } = await openTab(context, { offline: true })
    const requests: string[] = []
    page.on('request', (request) => requests.push(request.url()))
    await page.goto(pathToFileURL(join(project.root, 'told.html')).href)
    await page.getByRole('heading', { level: 1, name: 'told' }).waitFor()
    await page.getByRole('link', { name: /#\s*2/ }).click()
    await page.getByText('line 2').first().waitFor()
    await page.getByRole('button', { name: /What the agent said/ }).click()
    await page.getByText('I did it').first().waitFor()
    await page.getByRole('link', { name: 'Log' }).click()
    await page.locator('[data-seq="1"]').waitFor()
    expect(requests.filter((url) => !url.startsWith('file:'))).toEqual([])
    expect(await page.evaluate(() => 'hacked' in window)).toBe(false)
    expect(problems).toEqual([])
  })
})
