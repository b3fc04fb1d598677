import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { build, type InlineConfig, type Plugin } from 'vite'
import { bundledLicences } from '../tsdown.config.ts'

const HERE = import.meta.dirname
const OUT = join(HERE, '..', 'dist', 'web')

/** What both builds share. Nothing is inlined as a `data:` address: the page's content policy allows files of its own only. */
const COMMON: InlineConfig = {
  root: HERE,
  configFile: false,
  // Parts of the house that the page shares import modules of Node that it never reaches; `browserOnly` makes sure of that.
  logLevel: 'error',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
}

/** The page that `pawl serve` serves. */
await build({
  ...COMMON,
  plugins: [bundledLicences() as Plugin, browserOnly()],
  build: { outDir: OUT, emptyOutDir: true, assetsInlineLimit: 0, modulePreload: { polyfill: false }, target: 'es2023' },
})

/** The template of `pawl report --html`: the same components, with everything in one file. */
await build({
  ...COMMON,
  publicDir: false,
  plugins: [browserOnly(), oneFile()],
  build: {
    outDir: OUT,
    emptyOutDir: false,
    assetsInlineLimit: 1_000_000,
    modulePreload: false,
    target: 'es2023',
    cssCodeSplit: false,
    rolldownOptions: { input: join(HERE, 'report.html'), output: { codeSplitting: false } },
  },
})

/** Fails if code that only Node can run got into the page. */
function browserOnly(): Plugin {
  return {
    name: 'browser-only',
    generateBundle(_options, bundle) {
      for (const file of Object.values(bundle)) {
        const found = file.type === 'chunk' ? /Module "node:[^"]*" has been externalized|from"node:/.exec(file.code) : undefined
        if (found) throw new Error(`${file.fileName} needs Node: ${found[0]}`)
      }
    },
  }
}

/** Puts scripts and styles into the HTML, with a policy that allows these and nothing else: no network, no other script. */
function oneFile(): Plugin {
  return {
    name: 'one-file',
    enforce: 'post',
    generateBundle(_options, bundle) {
      const files = Object.values(bundle)
      const html = files.find(({ fileName }) => fileName.endsWith('.html'))
      if (html?.type !== 'asset') throw new Error('The build made no report.html.')
      let script = ''
      let style = ''
      for (const file of files) {
        if (file === html) continue
        // Vite fills this name in later, with files to load ahead; here is nothing to load.
        const code = file.type === 'chunk' ? file.code.replaceAll('__VITE_PRELOAD__', 'undefined') : ''
        if (file.type === 'chunk') script += code.replaceAll('</script', String.raw`<\/script`)
        else if (file.fileName.endsWith('.css')) style += String(file.source)
        delete bundle[file.fileName]
      }
      const policy = `default-src 'none'; script-src ${hashOf(script)}; style-src ${hashOf(style)}; base-uri 'none'; form-action 'none'`
      const text = String(html.source).replaceAll(/\s*<(?:script|link)[^>]*(?:src|href)="[^"]*"[^>]*>(?:<\/script>)?/g, '')
      // Functions, since `$&` in the code would be a pattern of `replace`.
      html.source = text
        .replace('<meta charset="utf-8" />', (meta) => `${meta}<meta http-equiv="Content-Security-Policy" content="${policy}" />`)
        .replace('</head>', (end) => `<style>${style}</style>${end}`)
        .replace('</body>', (end) => `<script type="module">${script}</script>${end}`)
    },
  }
}

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}
