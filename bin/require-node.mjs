// The first thing that a door of the library loads, so it is plain JavaScript that an older Node reads too, and imports nothing.

/** Says which Node the library needs, where this one is older. Keep in step with `engines` in package.json. */
export function requireNode(version) {
  const [major, minor] = version.split('.').map(Number)
  if (major > 24 || (major === 24 && minor >= 15)) return
  const sentence = `Pawl needs Node 24.15 or later and this is ${version}: install one (https://nodejs.org), or run your program with node_modules/node/bin/node of your clone of Pawl.`
  throw Object.assign(new Error(sentence), { name: 'PawlError', code: 'setup.node' })
}

// Other runtimes than Node, which say nothing of it, are let through.
if (process.versions.node !== undefined) requireNode(process.versions.node)
