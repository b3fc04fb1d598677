/** A small program with one slip in it, its tests, and what a person would call the slip. Used by tests only. */
export interface BrokenProgram {
  readonly slip: string
  readonly files: Readonly<Record<string, string>>
}

const HEAD = `import assert from 'node:assert/strict'\nimport { test } from 'node:test'\n`

/** Programs of different sorts; none of them is one of the examples. */
export const BROKEN_PROGRAMS: readonly BrokenProgram[] = [
  {
    slip: 'a boundary belongs to the wrong side',
    files: {
      'src/bookings.js': `export function nights(booking) {
  return Math.round((Date.parse(booking.to) - Date.parse(booking.from)) / 86_400_000)
}

export function overlaps(a, b) {
  return a.from < b.to && b.from <= a.to
}

export function isFree(room, wanted, bookings) {
  return bookings.filter((booking) => booking.room === room).every((booking) => !overlaps(booking, wanted))
}

export function freeRooms(rooms, wanted, bookings) {
  return rooms.filter((room) => isFree(room, wanted, bookings))
}
`,
      'test/bookings.test.js': `${HEAD}import { freeRooms, isFree, nights, overlaps } from '../src/bookings.js'

const june = { room: 'blue', from: '2026-06-01', to: '2026-06-08' }

test('nights are counted between the days', () => assert.equal(nights(june), 7))
test('two stays at the same time overlap', () => {
  assert.equal(overlaps(june, { from: '2026-06-05', to: '2026-06-10' }), true)
  assert.equal(overlaps(june, { from: '2026-05-20', to: '2026-06-02' }), true)
})
test('a stay may begin on the day another one ends', () => {
  assert.equal(isFree('blue', { from: '2026-06-08', to: '2026-06-10' }, [june]), true)
  assert.equal(isFree('blue', { from: '2026-05-28', to: '2026-06-01' }, [june]), true)
})
test('other rooms stay free', () => {
  assert.deepEqual(freeRooms(['blue', 'red'], { from: '2026-06-02', to: '2026-06-03' }, [june]), ['red'])
})
`,
    },
  },
  {
    slip: 'numbers are sorted as texts',
    files: {
      'lib/statistics.js': `export function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

export function median(values) {
  const sorted = values.slice().sort()
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

export function spread(values) {
  return Math.max(...values) - Math.min(...values)
}
`,
      'test/statistics.test.js': `${HEAD}import { mean, median, spread } from '../lib/statistics.js'

test('mean', () => assert.equal(mean([1, 2, 6]), 3))
test('median of an odd number of values', () => assert.equal(median([5, 1, 3]), 3))
test('median of values with different numbers of digits', () => assert.equal(median([10, 9, 100]), 10))
test('median of an even number of values', () => assert.equal(median([4, 1, 3, 2]), 2.5))
test('spread', () => assert.equal(spread([4, -1, 3]), 5))
`,
    },
  },
  {
    slip: 'a pattern replaces only the first match',
    files: {
      'src/slug.js': `const WORDS_MAX = 8

export function words(title) {
  return title.trim().split(/\\s+/).slice(0, WORDS_MAX)
}

export function slug(title) {
  return words(title)
    .join('-')
    .toLowerCase()
    .replace(/ä/g, 'ae')
    .replace(/[^a-z0-9-]/, '')
}

export function uniqueSlug(title, taken) {
  const base = slug(title)
  let number = 2
  if (!taken.includes(base)) return base
  while (taken.includes(base + '-' + number)) number++
  return base + '-' + number
}
`,
      'test/slug.test.js': `${HEAD}import { slug, uniqueSlug } from '../src/slug.js'

test('words are joined with dashes', () => assert.equal(slug('  Hello   World '), 'hello-world'))
test('signs are left out', () => assert.equal(slug('What? Why!'), 'what-why'))
test('umlauts are written out', () => assert.equal(slug('Käse Bär'), 'kaese-baer'))
test('a taken slug gets a number', () => assert.equal(uniqueSlug('Hi', ['hi', 'hi-2']), 'hi-3'))
`,
    },
  },
  {
    slip: 'a promise is not awaited',
    files: {
      'src/profiles.js': `export class Profiles {
  #load
  #known = new Map()

  constructor(load) {
    this.#load = load
  }

  async get(id) {
    if (this.#known.has(id)) return this.#known.get(id)
    const profile = this.#load(id)
    if (!profile.active) return undefined
    this.#known.set(id, profile)
    return profile
  }

  async names(ids) {
    const profiles = await Promise.all(ids.map((id) => this.get(id)))
    return profiles.filter((profile) => profile !== undefined).map((profile) => profile.name)
  }
}
`,
      'test/profiles.test.js': `${HEAD}import { Profiles } from '../src/profiles.js'

const people = { 1: { name: 'Ada', active: true }, 2: { name: 'Bob', active: false } }
const load = async (id) => people[id]

test('a profile is loaded', async () => assert.deepEqual(await new Profiles(load).get(1), people[1]))
test('a profile that is not active is left out', async () => assert.equal(await new Profiles(load).get(2), undefined))
test('names of several', async () => assert.deepEqual(await new Profiles(load).names([1, 2]), ['Ada']))
`,
    },
  },
  {
    slip: 'a property has another name',
    files: {
      'src/invoice.js': `export function lineTotal(line) {
  return line.unitPrice * line.count
}

export function invoiceTotal(invoice) {
  const net = invoice.lines.reduce((sum, line) => sum + lineTotal(line), 0)
  return net + tax(net, invoice.taxRate)
}

export function tax(net, rate) {
  return Math.round(net * rate)
}
`,
      'src/format.js': `export function describe(invoice, total) {
  return invoice.number + ': ' + total
}
`,
      'test/invoice.test.js': `${HEAD}import { describe } from '../src/format.js'
import { invoiceTotal, lineTotal, tax } from '../src/invoice.js'

const invoice = { number: 'A-7', taxRate: 0.2, lines: [{ unitPrice: 250, quantity: 4 }, { unitPrice: 100, quantity: 1 }] }

test('a line', () => assert.equal(lineTotal(invoice.lines[0]), 1000))
test('the whole invoice', () => assert.equal(invoiceTotal(invoice), 1320))
test('tax', () => assert.equal(tax(1000, 0.2), 200))
test('the description', () => assert.equal(describe(invoice, 1320), 'A-7: 1320'))
`,
    },
  },
  {
    slip: 'a condition lacks its negation',
    files: {
      'src/access.js': `const ROLES = ['reader', 'writer', 'owner']

export function rank(role) {
  return ROLES.indexOf(role)
}

export function mayRead(user, page) {
  return page.isPublic || rank(user.role) >= 0
}

export function mayEdit(user, page) {
  if (page.lockedBy) return page.lockedBy === user.name
  return rank(user.role) >= rank('writer')
}

export function mayDelete(user, page) {
  return rank(user.role) === rank('owner') && page.lockedBy
}
`,
      'test/access.test.js': `${HEAD}import { mayDelete, mayEdit, mayRead } from '../src/access.js'

const owner = { name: 'ada', role: 'owner' }
const guest = { name: 'bob' }

test('a public page may be read by anyone', () => {
  assert.equal(mayRead(guest, { isPublic: true }), true)
  assert.equal(mayRead(guest, { isPublic: false }), false)
})
test('only the one who locked a page may edit it', () => {
  assert.equal(mayEdit(owner, { lockedBy: 'bob' }), false)
  assert.equal(mayEdit(owner, {}), true)
})
test('an owner may delete a page that nobody has locked', () => {
  assert.equal(mayDelete(owner, { lockedBy: '' }), true)
  assert.equal(mayDelete(owner, { lockedBy: 'bob' }), false)
  assert.equal(mayDelete(guest, { lockedBy: '' }), false)
})
`,
    },
  },
  {
    slip: 'the caller hands in two arguments the wrong way round',
    files: {
      'src/ranges.js': `export function clamp(value, low, high) {
  return Math.min(Math.max(value, low), high)
}

export function page(items, number, size) {
  const pages = Math.max(1, Math.ceil(items.length / size))
  const shown = clamp(number, pages, 1)
  return { number: shown, items: items.slice((shown - 1) * size, shown * size) }
}
`,
      'test/ranges.test.js': `${HEAD}import { clamp, page } from '../src/ranges.js'

const letters = ['a', 'b', 'c', 'd', 'e']

test('clamp', () => assert.deepEqual([clamp(-1, 0, 9), clamp(5, 0, 9), clamp(12, 0, 9)], [0, 5, 9]))
test('the first page', () => assert.deepEqual(page(letters, 1, 2), { number: 1, items: ['a', 'b'] }))
test('a page in the middle', () => assert.deepEqual(page(letters, 2, 2), { number: 2, items: ['c', 'd'] }))
test('a page past the end is the last one', () => assert.deepEqual(page(letters, 9, 2), { number: 3, items: ['e'] }))
`,
    },
  },
  {
    slip: 'a recursive call does not return its result',
    files: {
      'src/tree.js': `export function insert(tree, key) {
  if (tree === null) return { key, left: null, right: null }
  if (key < tree.key) return { ...tree, left: insert(tree.left, key) }
  return { ...tree, right: insert(tree.right, key) }
}

export function find(tree, key) {
  if (tree === null) return null
  if (key === tree.key) return tree
  if (key < tree.key) return find(tree.left, key)
  find(tree.right, key)
}

export function depth(tree) {
  return tree === null ? 0 : 1 + Math.max(depth(tree.left), depth(tree.right))
}
`,
      'test/tree.test.js': `${HEAD}import { depth, find, insert } from '../src/tree.js'

const tree = [5, 2, 8, 9].reduce(insert2, null)

function insert2(node, key) {
  return insert(node, key)
}

test('keys on the left are found', () => assert.equal(find(tree, 2).key, 2))
test('keys on the right are found', () => assert.equal(find(tree, 9).key, 9))
test('missing keys give null', () => assert.equal(find(tree, 1), null))
test('the depth', () => assert.equal(depth(tree), 3))
`,
    },
  },
  {
    slip: 'the input is changed',
    files: {
      'src/ranking.js': `export function byScore(first, second) {
  return second.score - first.score
}

export function podium(players) {
  return players.sort(byScore).slice(0, 3).map((player) => player.name)
}

export function average(players) {
  return players.reduce((sum, player) => sum + player.score, 0) / players.length
}
`,
      'test/ranking.test.js': `${HEAD}import { average, podium } from '../src/ranking.js'

const players = () => [4, 9, 1, 7].map((score) => ({ name: 'p' + score, score }))

test('the three best, the best first', () => assert.deepEqual(podium(players()), ['p9', 'p7', 'p4']))
test('the list of players stays in its order', () => {
  const list = players()
  podium(list)
  assert.deepEqual(list, players())
})
test('the average', () => assert.equal(average(players()), 5.25))
`,
    },
  },
  {
    slip: 'a loop ends one too early',
    files: {
      'src/runs.js': `export function longestRun(values) {
  let best = 0
  let length = 0
  for (let index = 0; index < values.length - 1; index++) {
    length = index > 0 && values[index] === values[index - 1] ? length + 1 : 1
    best = Math.max(best, length)
  }
  return best
}

export function compress(text) {
  return text.replace(/(.)\\1+/g, (run, letter) => letter + run.length)
}
`,
      'test/runs.test.js': `${HEAD}import { compress, longestRun } from '../src/runs.js'

test('a run in the middle', () => assert.equal(longestRun([1, 2, 2, 2, 3]), 3))
test('a run at the end', () => assert.equal(longestRun([1, 2, 2]), 2))
test('no values, no run', () => assert.equal(longestRun([]), 0))
test('runs are written as numbers', () => assert.equal(compress('aaab'), 'a3b'))
`,
    },
  },
]
