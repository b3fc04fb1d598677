import { readFileSync } from 'node:fs'

const users = JSON.parse(readFileSync(new URL('../data/users.json', import.meta.url), 'utf8'))

export function findByName(name) {
  return users.find((user) => user.name === name)
}

export function findById(id) {
  return users.find((user) => user.id === id)
}
