import type { LanguageName, LanguageRules } from './language.ts'
import { c, cpp } from './language-c.ts'
import { csharp } from './language-csharp.ts'
import { go } from './language-go.ts'
import { java } from './language-java.ts'
import { javascript, typescript } from './language-javascript.ts'
import { python } from './language-python.ts'
import { rust } from './language-rust.ts'

/** How each language is read. */
export const LANGUAGES: Readonly<Record<LanguageName, LanguageRules>> = {
  typescript,
  tsx: typescript,
  javascript,
  python,
  go,
  rust,
  java,
  csharp,
  c,
  cpp,
}

const EXTENSIONS: Readonly<Record<LanguageName, string>> = {
  typescript: 'ts mts cts',
  tsx: 'tsx',
  javascript: 'js jsx mjs cjs',
  python: 'py pyi',
  go: 'go',
  rust: 'rs',
  java: 'java',
  csharp: 'cs',
  c: 'c',
  // A header may be of either language, and C++ reads nearly all of C.
  cpp: 'h hh hpp hxx cc cpp cxx c++ inl ipp tpp ino cu cuh',
}

const BY_EXTENSION: ReadonlyMap<string, LanguageName> = new Map(
  Object.entries(EXTENSIONS).flatMap(([name, endings]) =>
    endings.split(' ').map((ending): [string, LanguageName] => [ending, name as LanguageName]),
  ),
)

/** The language of a file, by its name; `undefined` where none of ours fits. */
export function languageOf(path: string): LanguageName | undefined {
  return BY_EXTENSION.get(/\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? '')
}
