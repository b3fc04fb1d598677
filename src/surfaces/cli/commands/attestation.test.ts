import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { git, testProject, type TestProject } from '../../../../test/support/cli-project.ts'
import type { Envelope } from './attestation.ts'
import { exportRun } from './export.ts'
import { verifyAttestation } from './verify.ts'

let project: TestProject
let file = ''

beforeAll(async () => {
  project = testProject()
  await project.loop({ passesAt: 2 }).run('first')
  await project.close()
  file = join(project.root, '.pawl', 'first.intoto.json')
  await exportRun(project.look(), 'first', { format: 'in-toto', out: file })
})
afterAll(() => project.remove())

function envelope(): Envelope {
  return JSON.parse(readFileSync(file, 'utf8')) as Envelope
}

/** The attestation with something else in its statement, or in itself. */
function changed(change: (statement: Record<string, unknown>) => void, more: Partial<Envelope> = {}): string {
  const { payload, ...rest } = envelope()
  const statement = JSON.parse(Buffer.from(payload, 'base64').toString()) as Record<string, unknown>
  change(statement)
  const path = join(project.root, '.pawl', 'changed.json')
  writeFileSync(path, JSON.stringify({ ...rest, payload: Buffer.from(JSON.stringify(statement)).toString('base64'), ...more }))
  return path
}

/** A file beside the store. */
function inside(name: string): string {
  return join(project.root, '.pawl', name)
}

async function verified(path: string, signers: string) {
  const look = project.look({ json: true })
  const code = await verifyAttestation(look, path, 'first', { signers: inside(signers) })
  return { code, ...(look.documents[0] as { signedBy?: string; problems: readonly string[] }) }
}

describe('SAFE-12 a signed attestation', () => {
  beforeAll(async () => {
    for (const name of ['mine', 'other'])
      execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', name, '-f', inside(name)])
    for (const name of ['mine', 'other'])
      writeFileSync(inside(`${name}.signers`), `${name}@example.org ${readFileSync(inside(`${name}.pub`), 'utf8')}`)
    await exportRun(project.look(), 'first', { format: 'in-toto', out: inside('signed.json'), sign: inside('mine') })
  })

  test('SAFE-12 verifies with the signers of the user, by Pawl and by plain ssh-keygen', async () => {
    expect(await verified(inside('signed.json'), 'mine.signers')).toMatchObject({
      code: 0,
      ok: true,
      signedBy: 'mine@example.org',
    })
    const args = ['-Y', 'verify', '-f', inside('mine.signers'), '-I', 'mine@example.org', '-n', 'pawl-attestation']
    const said = execFileSync('ssh-keygen', [...args, '-s', inside('signed.json.sig')], {
      input: readFileSync(inside('signed.json')),
    })
    expect(said.toString()).toContain('Good "pawl-attestation" signature for mine@example.org')
  })

  test('SAFE-12 is refuted if someone else signed it, nobody did, or it was changed since', async () => {
    expect(await verified(inside('signed.json'), 'other.signers')).toMatchObject({
      code: 1,
      problems: [expect.stringContaining('by none of the signers')],
    })
    expect(await verified(file, 'mine.signers')).toMatchObject({ code: 1, problems: [expect.stringContaining("isn't signed")] })
    const path = changed(() => undefined)
    copyFileSync(inside('signed.json.sig'), `${path}.sig`)
    expect(await verified(path, 'mine.signers')).toMatchObject({
      code: 1,
      problems: [expect.stringContaining("isn't of this file")],
    })
  })

  test('SAFE-12 needs a file, the format in-toto and a key that can sign', async () => {
    const out = inside('more.json')
    const wanted = exportRun(project.look(), 'first', { format: 'jsonl', out, sign: inside('mine') })
    await expect(wanted).rejects.toThrow('pawl export first --format in-toto --out FILE --sign KEY')
    const missing = exportRun(project.look(), 'first', { format: 'in-toto', out, sign: inside('none') })
    await expect(missing).rejects.toThrow('There is no key')
    const unfit = exportRun(project.look(), 'first', { format: 'in-toto', out, sign: inside('pawl.db') })
    await expect(unfit).rejects.toThrow('could not sign')
    expect(existsSync(out)).toBe(false)
  })
})

describe('an attestation', () => {
  test('PROV-5 is an envelope whose signature is the head of the hash chain, about a tree that git knows', () => {
    const { payloadType, payload, signatures } = envelope()
    expect(payloadType).toBe('application/vnd.in-toto+json')
    const statement = JSON.parse(Buffer.from(payload, 'base64').toString()) as {
      subject: { digest: { gitTree: string } }[]
      predicate: { journal: { seq: number; hash: string } }
    }
    const { seq, hash } = statement.predicate.journal
    expect(signatures).toEqual([{ keyid: `pawl-journal:${seq}:first`, sig: Buffer.from(hash, 'hex').toString('base64') }])
    expect(git(project.root, 'cat-file', '-t', statement.subject[0]?.digest.gitTree ?? '')).toBe('tree\n')
  })

  test('PROV-6 that says what the journal says is confirmed, with what it is about', async () => {
    const look = project.look()
    expect(await verifyAttestation(look, file)).toBe(0)
    expect(look.out.join('\n')).toMatch(
      /^ok {3}.*says what the journal of run first says up to event \d+.*\n {5}files of first: gitTree [0-9a-f]{40}$/,
    )
    const told = project.look({ json: true })
    expect(await verifyAttestation(told, file, 'first')).toBe(0)
    expect(told.documents[0]).toMatchObject({ run: 'first', ok: true, problems: [], subject: [{ name: 'files of first' }] })
  })

  test.each<[what: string, path: () => string, words: string]>([
    ['another tree', () => changed((statement) => void (statement['subject'] = [])), 'about the artifacts'],
    [
      'another verdict',
      () =>
        changed(({ predicate }) => void ((predicate as { results: { result: string }[] }).results[0]!.result = 'check.passed')),
      'predicate.results[0].result',
    ],
    [
      'another hash',
      () => changed(() => {}, { signatures: [{ keyid: 'pawl-journal:3:first', sig: 'AAAA' }] }),
      'not the hash of event 3',
    ],
    [
      'an event that is not there',
      () => changed(() => {}, { signatures: [{ keyid: 'pawl-journal:999:first', sig: 'AAAA' }] }),
      'event 999',
    ],
  ])('PROV-7 that says %s than the journal is refuted, with the place', async (_what, path, words) => {
    const look = project.look()
    expect(await verifyAttestation(look, path())).toBe(1)
    expect(look.out.join('\n')).toMatch(/^BAD/)
    expect(look.out.join('\n')).toContain(words)
  })

  test.each<[what: string, text: () => string]>([
    ['no JSON', () => 'x'],
    ['no envelope', () => '{"payload": 1}'],
    ['another statement', () => JSON.stringify({ payloadType: 'application/vnd.in-toto+json', payload: 'e30=', signatures: [] })],
    ['no signature', () => JSON.stringify({ ...envelope(), signatures: [] })],
  ])('PROV-8 what is %s is refused in words', async (_what, text) => {
    const path = join(project.root, '.pawl', 'other.json')
    writeFileSync(path, text())
    await expect(verifyAttestation(project.look(), path)).rejects.toMatchObject({ code: 'usage.attestation' })
    await expect(verifyAttestation(project.look(), file, 'second')).rejects.toThrow('is about run first')
    await expect(verifyAttestation(project.look(), '/nowhere.json')).rejects.toMatchObject({ code: 'usage.no-file' })
  })

  test('PROV-2 who did what is exported line by line', async () => {
    const look = project.look()
    await exportRun(look, 'first', { format: 'provenance-jsonl' })
    expect(look.out.map((line) => (JSON.parse(line) as { kind: string }).kind)).toEqual([
      'output',
      'verdict',
      'output',
      'verdict',
    ])
  })

  test.each([
    ['changed', "UPDATE events SET event = replace(event, 'Wrote line 1', 'Wrote line 9')"],
    ['broken', "UPDATE events SET event = 'rubbish' WHERE seq = 4"],
  ])('PROV-9 of a journal that was %s since is refuted', async (_what, sql) => {
    const database = new DatabaseSync(project.storePath)
    database.exec(sql)
    database.close()
    const look = project.look()
    expect(await verifyAttestation(look, file)).toBe(1)
    expect(look.out.join('\n')).toMatch(/^BAD/)
  })
})
