import type { Context, Hono } from 'hono'
import { html } from 'hono/html'
import { safeText } from '../../core/safe-text.ts'
import { PawlError } from '../../core/pawl-error.ts'
import type { QuestionView } from '../../present/run-fold.ts'
import { answerQuestion, takenAnswer } from './act-endpoints.ts'
import { readLink } from './answer-link.ts'
import type { AppOptions } from './app.ts'

type Html = ReturnType<typeof html>

/**
 * Two small pages that need neither script nor cookie: the one of a link that answers a question, and the one that pairs a device. Opening
 * them changes nothing, since services that show a preview of a link open it too.
 */
export function linkRoutes(app: Hono, options: AppOptions): void {
  const { gate } = options
  app.get('/plain.css', (context) => context.body(STYLE, 200, { 'content-type': 'text/css', 'cache-control': 'no-cache' }))
  app.get('/pair', (context) => sent(context, 'Pair this device', pairForm((context.req.query('code') ?? '').slice(0, 20))))
  app.post('/pair', async (context) => {
    requireForm(context)
    const { code = '', name = '' } = (await context.req.parseBody()) as Readonly<Record<string, string>>
    if (gate.pair(context, String(code), String(name))) return context.redirect('/', 303)
    return sent(
      context,
      'Pair this device',
      html`<p class="bad">That code is wrong or too old. Ask for a new one.</p>
        ${pairForm('')}`,
      403,
    )
  })
  app.get('/a/:link', (context) => linkPage(context, options))
  app.post('/a/:link', async (context) => {
    requireForm(context)
    return linkAnswer(context, options)
  })
}

async function linkPage(context: Context, { project, devices, gate }: AppOptions): Promise<Response> {
  gate.countLink(context)
  const { run, question } = readLink(context.req.param('link') ?? '', devices.secret, Date.now())
  const { asked, state } = (await project.runs.load(run)).run
  const open = asked.find(({ seq }) => seq === question)
  if (!open || open.answer || state?.question?.seq !== question)
    return taken(context, options409(run), await takenAnswer(project, run, question))
  return sent(context, run, questionForm(open))
}

function options409(run: string): string {
  return `Run ${run} no longer asks this.`
}

async function linkAnswer(context: Context, { project, devices, gate }: AppOptions): Promise<Response> {
  const { peer } = gate.countLink(context)
  const { run, question } = readLink(context.req.param('link') ?? '', devices.secret, Date.now())
  const { choice = '', note = '' } = (await context.req.parseBody()) as Readonly<Record<string, string>>
  const words = String(note).trim()
  try {
    const result = await answerQuestion(
      project,
      run,
      { choice: String(choice), question, resume: project.program !== undefined, ...(words === '' ? {} : { note: words }) },
      { name: 'link', peer, isIn: () => true },
    )
    return sent(
      context,
      run,
      html`<p class="good">Answered: ${result.label ?? result.choice}.</p>
        <p>${result.follows}</p>`,
    )
  } catch (error) {
    if (!(error instanceof PawlError) || !/^question\.(?:answered|none)$/.test(error.code)) throw error
    return taken(context, options409(run), await takenAnswer(project, run, question))
  }
}

function taken(context: Context, words: string, answer: Awaited<ReturnType<typeof takenAnswer>>): Response | Promise<Response> {
  const how = answer ? html`<p>${answer.by} answered: ${answer.label} (${new Date(answer.at).toISOString()})</p>` : html``
  return sent(
    context,
    'Already answered',
    html`<p>${words}</p>
      ${how}`,
    409,
  )
}

/** Only our own pages have these forms; another site's would come with its own origin. */
function requireForm(context: Context): void {
  const type = context.req.header('content-type') ?? ''
  const hasOrigin = context.req.header('origin') !== undefined
  if (!hasOrigin || !/^(?:application\/x-www-form-urlencoded|multipart\/form-data)\b/.test(type))
    throw new PawlError('serve.origin', 'This address takes the form of its own page only.')
}

function questionForm({ text, pattern, options }: QuestionView): Html {
  return html`<p class="question">${text}</p>
    ${pattern === undefined ? '' : html`<p>${pattern}</p>`}
    <form method="post">
      ${options.map(
        ({ number, label, then, recommended }) =>
          html`<button name="choice" value="${number}" class="${recommended ? 'first' : ''}">
            ${label}${then === undefined ? '' : html`<small>${then}</small>`}
          </button>`,
      )}
      <label>Note for the agent<textarea name="note" rows="3" maxlength="10000"></textarea></label>
    </form>`
}

function pairForm(code: string): Html {
  return html`<form method="post" action="/pair">
    <label>Code<input name="code" value="${code}" autocomplete="one-time-code" autocapitalize="characters" required /></label>
    <label>Name of this device<input name="name" maxlength="60" placeholder="My phone" /></label>
    <button class="first">Pair</button>
  </form>`
}

async function sent(context: Context, title: string, body: Html, status: 200 | 403 | 409 = 200): Promise<Response> {
  const page = await html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} · Pawl</title>
        <link rel="stylesheet" href="/plain.css" />
      </head>
      <body>
        <main>
          <h1>${title}</h1>
          ${body}
        </main>
      </body>
    </html>`
  // Nothing that an agent wrote turns the direction of writing.
  return context.html(safeText(String(page)), status)
}

const STYLE = `:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}body{margin:0}main{max-width:36rem;margin:0 auto;padding:1rem}h1{font-size:1.25rem}
form{display:grid;gap:.75rem}label{display:grid;gap:.25rem}input,textarea,button{font:inherit;padding:.75rem;border-radius:.5rem;border:1px solid GrayText;min-height:44px}
button{text-align:left;cursor:pointer}button.first{font-weight:600;border-width:2px}small{display:block;font-weight:400}.question{white-space:pre-wrap}.good{font-weight:600}.bad{font-weight:600}p{overflow-wrap:anywhere}
`
