import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { PawlError } from '../../../core/pawl-error.ts'

/** What a signature is for: one made for another purpose doesn't verify. */
const SIGNATURE_NAMESPACE = 'pawl-attestation'

/** Signs a text with an ssh key on disk (or, by its public key, with one in ssh-agent), as lines of a `.sig` file. */
export async function signWithSsh(key: string, text: string): Promise<readonly string[]> {
  if (!existsSync(key))
    throw new PawlError('usage.no-file', `There is no key ${key}: give an ssh key, such as ~/.ssh/id_ed25519.`)
  const { code, out, error } = await sshKeygen(['-Y', 'sign', '-f', key, '-n', SIGNATURE_NAMESPACE], text)
  if (code === 0 && out.includes('BEGIN SSH SIGNATURE')) return out.trimEnd().split('\n')
  throw new PawlError('export.sign', `${key} could not sign: ${error.trim() || `ssh-keygen ended with ${code}`}`, { value: key })
}

/** Who signed a text, by a file of allowed signers; otherwise what is wrong. */
export async function verifySshSignature(
  text: string,
  signature: string,
  signers: string,
): Promise<{ readonly signedBy: string } | { readonly problem: string }> {
  const of = ['-f', signers, '-s', signature]
  const found = await sshKeygen(['-Y', 'find-principals', ...of], '')
  const [signedBy = ''] = found.out.split('\n')
  if (found.code !== 0 || signedBy === '') return { problem: `Its signature is by none of the signers in ${signers}.` }
  const { code, error, out } = await sshKeygen(['-Y', 'verify', ...of, '-I', signedBy, '-n', SIGNATURE_NAMESPACE], text)
  if (code === 0) return { signedBy }
  return { problem: `Its signature by ${signedBy} isn't of this file: ${(error.trim() || out.trim()).split('\n').at(-1)}.` }
}

interface Ended {
  readonly code: number | null
  readonly out: string
  readonly error: string
}

/** A passphrase is asked for on the terminal by ssh-keygen itself. */
function sshKeygen(args: readonly string[], input: string): Promise<Ended> {
  const { promise, resolve, reject } = Promise.withResolvers<Ended>()
  const child = spawn('ssh-keygen', args, { stdio: 'pipe' })
  const [out, error]: [Buffer[], Buffer[]] = [[], []]
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => error.push(chunk))
  child.on('error', (cause) =>
    reject(new PawlError('usage.no-ssh', '`ssh-keygen` not found on PATH. Install OpenSSH 8.2 or newer.', { cause })),
  )
  child.on('close', (code) => resolve({ code, out: Buffer.concat(out).toString(), error: Buffer.concat(error).toString() }))
  // It may end without reading.
  child.stdin.on('error', () => undefined)
  child.stdin.end(input)
  return promise
}
