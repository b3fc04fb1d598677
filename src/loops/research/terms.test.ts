import { expect, test } from 'vitest'
import { askedNames, significantWords, termsOf } from './terms.ts'

test('RES-72 names are seen in every usual way of writing them, and taken apart; words of every question say nothing', () => {
  expect(termsOf('Where is JSONDecoder declared?')).toEqual(['JSONDecoder', 'json', 'decoder'])
  expect(termsOf('What uses loginUser and MAX_SIZE?')).toEqual(['loginUser', 'MAX_SIZE', 'login', 'user', 'max', 'size'])
  expect(significantWords('Which APIs does the HTTPServer have?')).toEqual(['apis', 'http', 'server'])
  expect(termsOf('Where is the Content-Length of a well-known page?')).toEqual([
    'Content-Length',
    'content',
    'length',
    'well',
    'known',
    'page',
  ])
  expect(termsOf('Can we add a new check without declaring it?')).toEqual(['check', 'declaring'])
})

test('RESCLI-31 a word in the place of a name is one, a noun that only asks is not', () => {
  expect(askedNames('Where is add declared? Where is the function set?')).toEqual(['add', 'set'])
  expect(askedNames('Where is it declared?')).toEqual([])
})
