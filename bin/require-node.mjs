// The first thing that the programs and the doors of the library load, so it is plain JavaScript that an older Node reads too, and imports nothing.

/** Says which Node the library needs, where this one is older. Keep in step with `engines` in package.json. */
export function requireNode(version) {
  const [major, minor] = version.split('.').map(Number)
  if (major > 24 || (major === 24 && minor >= 15)) return
  const sentence = `Pawl needs Node 24.15 or later and this is ${version}: install one (https://nodejs.org), or run your program with node_modules/node/bin/node of your clone of Pawl.`
  throw Object.assign(new Error(sentence), { name: 'PawlError', code: 'setup.node' })
}

/** Says that only Node will do, where another runtime says that it is one. */
export function refuseOthers(versions) {
  const other = versions.bun !== undefined ? 'Bun' : versions.deno !== undefined ? 'Deno' : undefined
  if (other === undefined) return
  const sentence = `Pawl runs on Node only, and this is ${other}: start it with Node 24.15 or later (https://nodejs.org).`
  // A program says only that; whoever imports the library gets an error.
  if (/[\\/]dist[\\/](?:cli|mcp)\.mjs$/.test(process.argv[1] ?? '')) {
    process.stderr.write(`pawl: ${sentence}\n`)
    process.exit(1)
  }
  throw Object.assign(new Error(sentence), { name: 'PawlError', code: 'setup.node', stack: sentence })
}

refuseOthers(process.versions)
// Other runtimes than Node, which say nothing of it, are let through.
if (process.versions.node !== undefined) requireNode(process.versions.node)
