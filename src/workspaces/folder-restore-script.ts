/** A program for people, kept in the store: `node restore.mjs MANIFEST FOLDER` writes a snapshot's files and deletes no others. */
export const restoreScript = `// Brings the files of a Pawl snapshot back: node restore.mjs MANIFEST FOLDER
import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'

const [manifest, folder] = process.argv.slice(2)
const { entries } = JSON.parse(readFileSync(manifest, 'utf8'))
for (const entry of entries) {
  const path = join(folder, entry.path)
  mkdirSync(dirname(path), { recursive: true })
  rmSync(path, { force: true })
  if (entry.kind === 'link') {
    symlinkSync(entry.target, path)
  } else {
    copyFileSync(join(import.meta.dirname ?? dirname(process.argv[1]), 'objects', entry.sha256.slice(0, 2), entry.sha256.slice(2)), path)
    chmodSync(path, entry.mode)
  }
}
console.log(entries.length + ' files are back in ' + folder)
`
