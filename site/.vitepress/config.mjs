import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig } from 'vitepress'

const ROOT = join(import.meta.dirname, '..', '..')
const DECISIONS = 'docs/decisions'

// The pages are the repository's own Markdown files, so that GitHub, the package and the site show the same. VitePress refuses dead links.
export default defineConfig({
  title: 'Pawl',
  description: 'Runs your coding agent in a loop, checks every iteration itself, and only reports done when it can prove it.',
  // Terminal output of 80 columns fits beside the sidebar.
  head: [['style', {}, ':root{--vp-code-font-size:12.25px}']],
  srcDir: '..',
  srcExclude: ['!(docs)/**/*'],
  outDir: 'dist',
  cacheDir: 'node_modules/.vitepress',
  rewrites: {
    'README.md': 'index.md',
    'docs/README.md': 'docs/index.md',
    'docs/decisions/README.md': 'docs/decisions/index.md',
  },
  ignoreDeadLinks: [/^\.\/LICENSE$/],
  buildEnd: addFiles,
  vite: {
    plugins: [packagesOfThisFolder()],
    server: { fs: { allow: [ROOT] } },
    build: { chunkSizeWarningLimit: 4000 },
  },
  markdown: { html: false, anchor: { slugify: gitHubAnchor }, config: linkToIndex },
  themeConfig: {
    nav: [
      { text: 'Start', link: '/docs/start' },
      { text: 'Docs', link: '/docs/' },
      { text: 'Command line', link: '/docs/reference/cli' },
      { text: 'Troubleshooting', link: '/docs/troubleshooting' },
    ],
    sidebar: sidebar(readFileSync(join(ROOT, 'docs/README.md'), 'utf8')),
    outline: [2, 3],
    search: { provider: 'local' },
  },
})

/** One section for each heading of docs/README.md, with the links below it; a bold label begins a group. */
function sidebar(text) {
  return text
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [title, ...lines] = section.split('\n')
      const items = lines.flatMap((line) => {
        const links = [...line.matchAll(/\[([^\]]+)\]\(([^)]+)\)/g)].map(([, words, href]) => item(words, href))
        const label = /^\*\*([^*:]+):?\*\*/.exec(line)?.[1]
        return label === undefined ? links : [{ text: label, collapsed: true, items: links }]
      })
      const isInternal = title === 'Internals'
      const decisions = isInternal ? [{ text: 'Decisions', collapsed: true, items: decisionItems() }] : []
      return { text: title, collapsed: isInternal, items: [...items, ...decisions] }
    })
}

function item(text, href) {
  const path = join('/docs', href)
    .replace(/README\.md/, '')
    .replace(/\.md/, '')
  return { text: text.charAt(0).toUpperCase() + text.slice(1), link: path }
}

function decisionItems() {
  return readdirSync(join(ROOT, DECISIONS))
    .filter((name) => /^\d+.*\.md$/.test(name))
    .map((name) => ({
      text: readFileSync(join(ROOT, DECISIONS, name), 'utf8')
        .split('\n')[0]
        .replace(/^# /, ''),
      link: `/${DECISIONS}/${name.replace(/\.md$/, '')}`,
    }))
}

/** On the site, a folder's README is its index. */
function linkToIndex(md) {
  const normalize = md.normalizeLink
  md.normalizeLink = (url) => normalize(url.replace(/(^|\/)README\.md/, '$1index.md'))
}

/** Pages link to the licence and to examples, which aren't pages. */
function addFiles({ outDir }) {
  writeFileSync(join(outDir, 'LICENSE.html'), `<pre>${readFileSync(join(ROOT, 'LICENSE'), 'utf8')}</pre>\n`)
  cpSync(join(ROOT, 'examples'), join(outDir, 'examples'), { recursive: true })
}

/** Pages lie outside this folder, so they wouldn't find the packages that are installed here. */
function packagesOfThisFolder() {
  return {
    name: 'packages-of-this-folder',
    enforce: 'pre',
    resolveId(id, importer, options) {
      if (!/^vue(\/|$)/.test(id)) return undefined
      // The server's build runs in this folder and imports it there.
      return options.ssr ? { id, external: true } : this.resolve(id, import.meta.filename, { ...options, skipSelf: true })
    },
  }
}

/** Links in the files use GitHub's anchors, so headings get those. */
function gitHubAnchor(heading) {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{Letter}\p{Number}_\- ]/gu, '')
    .replaceAll(' ', '-')
}
