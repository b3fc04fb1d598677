import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Programs of this machine that the tests' image has. */
const PROGRAMS =
  'sh bash cat ls id env mkdir rm mv ln cp touch grep tr sleep mount umount unshare mknod hostname getent setsid git tee head sed find ipcs seq wc'

const SCRIPT = `set -e
root=$1 node=$2
programs=$(for each in ${PROGRAMS}; do type -P "$each" || true; done)
for file in $programs "$node" $(for each in $programs "$node"; do ldd "$each" 2>/dev/null | grep -oE '/[^ ]+\\.so[^ ]*' || true; done | sort -u); do
  mkdir -p "$root$(dirname "$file")"
  cp -L "$file" "$root$file"
done
mkdir -p "$root/etc" "$root/usr/bin"
cp /etc/passwd /etc/group /etc/nsswitch.conf "$root/etc/"
[ -e "$root/bin" ] || ln -s usr/bin "$root/bin"
mv "$root$node" "$root/usr/bin/node"
tar -C "$root" -c . | podman import --quiet - "$3"`

/**
 * An image of programs of this machine, since no registry may be in reach; or why there is none. Podman's defaults ask for more files and
 * processes than a machine may allow, and its default runtime doesn't work with every arrangement of control groups.
 */
export function testImage(): { readonly image: string } | { readonly trouble: string } {
  if (!existsSync('/usr/bin/podman')) return { trouble: 'podman is not installed' }
  const folder = mkdtempSync(join(tmpdir(), 'pawl-image-'))
  try {
    process.env['CONTAINERS_CONF'] ??= ownSettings()
    const key = createHash('sha256').update(SCRIPT).update(process.version).digest('hex').slice(0, 12)
    const image = `localhost/pawl-test:${key}`
    const isThere = execFileSync('podman', ['images', '--quiet', image], { encoding: 'utf8' }).trim() !== ''
    if (!isThere)
      execFileSync('bash', ['-c', SCRIPT, 'bash', folder, process.execPath, image], { stdio: ['ignore', 'pipe', 'pipe'] })
    return { image }
  } catch (error) {
    return { trouble: String((error as { stderr?: Buffer | string }).stderr ?? error) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function ownSettings(): string {
  const isRunc = ['/usr/bin/runc', '/usr/sbin/runc'].some((path) => existsSync(path))
  const path = join(tmpdir(), `pawl-containers-${process.getuid?.()}.conf`)
  const processes = Math.min(4096, Number(limit('processes')))
  writeFileSync(
    path,
    `[containers]\ndefault_ulimits = ["nofile=1024:${limit('open files')}", "nproc=${processes}:${processes}"]\n${isRunc ? '[engine]\nruntime = "runc"\n' : ''}`,
  )
  return path
}

/** The most that this machine lets a process have. */
function limit(name: string): string {
  return new RegExp(`Max ${name}\\s+\\S+\\s+(\\d+)`).exec(readFileSync('/proc/self/limits', 'utf8'))?.[1] ?? '1024'
}
