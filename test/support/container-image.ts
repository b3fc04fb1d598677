import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Programs of this machine that the tests' image has. */
const PROGRAMS =
  'sh bash cat ls id env mkdir rm mv ln cp touch grep tr sleep mount umount unshare mknod hostname getent setsid git tee head sed find ipcs seq wc'

const SCRIPT = `set -e
root=$1 node=$2
chmod 755 "$root"
PATH=$PATH:/usr/sbin:/sbin
programs=$(for each in ${PROGRAMS}; do type -P "$each" || true; done)
for file in $programs "$node" $(for each in $programs "$node"; do ldd "$each" 2>/dev/null | grep -oE '/[^ ]+\\.so[^ ]*' || true; done | sort -u) $(ldconfig -p | grep -oE '/[^ ]+/lib(rt|dl|pthread|m|util|resolv|gcc_s|stdc\\+\\+)\\.so\\.[0-9]+$'); do
  mkdir -p "$root$(dirname "$file")"
  cp -L "$file" "$root$file"
done
mkdir -p "$root/etc" "$root/usr/bin"
cp /etc/passwd /etc/group /etc/nsswitch.conf "$root/etc/"
[ -e "$root/bin" ] || ln -s usr/bin "$root/bin"
mv "$root$node" "$root/usr/bin/node"
tar -C "$root" -c . | podman import --quiet - "$3"`

/** An image of programs of this machine, since no registry may be in reach; or why there is none. */
export function testImage(): { readonly image: string } | { readonly trouble: string } {
  if (!existsSync('/usr/bin/podman')) return { trouble: 'podman is not installed' }
  const folder = mkdtempSync(join(tmpdir(), 'pawl-image-'))
  try {
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
