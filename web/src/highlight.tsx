import type { LanguageFn } from 'highlight.js'
import highlight from 'highlight.js/lib/core'
import bash from 'highlight.js/lib/languages/bash'
import c from 'highlight.js/lib/languages/cpp'
import css from 'highlight.js/lib/languages/css'
import go from 'highlight.js/lib/languages/go'
import java from 'highlight.js/lib/languages/java'
import json from 'highlight.js/lib/languages/json'
import python from 'highlight.js/lib/languages/python'
import rust from 'highlight.js/lib/languages/rust'
import typescript from 'highlight.js/lib/languages/typescript'
import yaml from 'highlight.js/lib/languages/yaml'
import type { JSX } from 'preact'

const LANGUAGES: Readonly<Record<string, LanguageFn>> = { bash, c, css, go, java, json, python, rust, typescript, yaml }
for (const [name, language] of Object.entries(LANGUAGES)) highlight.registerLanguage(name, language)

const BY_ENDING: Readonly<Record<string, string>> = {
  ...Object.fromEntries(['ts', 'tsx', 'js', 'jsx', 'mjs', 'cjs', 'mts', 'cts'].map((ending) => [ending, 'typescript'])),
  ...Object.fromEntries(['c', 'h', 'cc', 'cpp', 'hpp', 'cs'].map((ending) => [ending, 'c'])),
  py: 'python',
  rs: 'rust',
  go: 'go',
  java: 'java',
  kt: 'java',
  json: 'json',
  yaml: 'yaml',
  yml: 'yaml',
  sh: 'bash',
  css: 'css',
}

/** Colours for lines of a file; undefined for a kind of file that it doesn't know. The result is elements, never HTML. */
export function highlighter(path: string): ((text: string) => JSX.Element | string) | undefined {
  const language = BY_ENDING[path.slice(path.lastIndexOf('.') + 1).toLowerCase()]
  if (language === undefined) return undefined
  return (text) => {
    if (text.length > 500) return text
    const html = highlight.highlight(text, { language, ignoreIllegals: true }).value
    return <>{elementsOf(new DOMParser().parseFromString(html, 'text/html').body)}</>
  }
}

/** Rebuilds what the library marked out of spans and text alone. */
function elementsOf(node: Node): (JSX.Element | string)[] {
  return [...node.childNodes].map((child) => {
    if (!(child instanceof Element)) return child.textContent ?? ''
    return <span class={child.className}>{elementsOf(child)}</span>
  })
}
