import { expect, it } from 'vitest'
import { extractQuestions } from './questions.ts'

it.each<[prompt: string, questions: readonly string[]]>([
  ['How does the app handle password resets?', ['architecture: How does the app handle password resets?']],
  ['Is it possible to add OAuth providers?', ['feasibility: Is it possible to add OAuth providers?']],
  ['What handles session management?', ['location: What handles session management?']],
  ['Why is the cache disabled?', ['rationale: Why is the cache disabled?']],
  ['Where is X handled and what uses it?', ['location: Where is X handled', 'location: what uses it?']],
  [
    'Where is X, what uses it and how does it end?',
    ['location: Where is X', 'location: what uses it', 'architecture: how does it end?'],
  ],
  ['Find the file, where tokens end up', ['location: Find the file, where tokens end up']],
  [
    'Where does "Not supported. Use merge, and where needed nest; see README" come from?',
    ['location: Where does "Not supported. Use merge, and where needed nest; see README" come from?'],
  ],
  ['- How does login work?\n- Can we add SSO?', ['architecture: How does login work?', 'feasibility: Can we add SSO?']],
  ['Analyze authentication across the entire app', ['architecture: Analyze authentication across the entire app']],
])('RES-19 %s', (prompt, questions) => {
  expect(extractQuestions(prompt).map(({ kind, text }) => `${kind}: ${text}`)).toEqual(questions)
})

it.each<[prompt: string, questions: readonly string[]]>([
  [
    'How does resume avoid asking a finished agent again, why is SQLite used, and where are secrets redacted?',
    [
      'architecture: How does resume avoid asking a finished agent again',
      'rationale: why is SQLite used',
      'location: where are secrets redacted?',
    ],
  ],
  [
    'Explain how login works, why it is slow, where sessions are kept, and who uses them',
    [
      'architecture: Explain how login works',
      'rationale: why it is slow',
      'location: where sessions are kept',
      'location: who uses them',
    ],
  ],
  [
    'Where are lockfiles loaded, who writes them, and why is the lockfile validated?',
    ['location: Where are lockfiles loaded', 'architecture: who writes them', 'rationale: why is the lockfile validated?'],
  ],
  [
    'Can we plug in a custom token generator? Where are scopes validated? What uses RequestValidator?',
    [
      'feasibility: Can we plug in a custom token generator?',
      'location: Where are scopes validated?',
      'location: What uses RequestValidator?',
    ],
  ],
])('RES-110 each question after a comma is one of its own: %s', (prompt, questions) => {
  expect(extractQuestions(prompt).map(({ kind, text }) => `${kind}: ${text}`)).toEqual(questions)
})
