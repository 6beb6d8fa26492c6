import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer, request } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  createLocalCertificate,
  type LocalCertificate,
} from '../../../../src/localnet/server/tls.ts'

const DAY_MS = 86_400_000

async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-kept-certificate-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** Whether a client that trusts the CA file's authorities accepts a server with the certificate. */
async function isTrusted({ key, cert }: LocalCertificate, ca: string): Promise<boolean> {
  const server = createServer({ key, cert }, (_, response) => response.end('ok'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  try {
    return await new Promise((resolve) => {
      request({ host: '127.0.0.1', port, ca, agent: false }, (response) => {
        response.resume().once('end', () => resolve(true))
      })
        .once('error', () => resolve(false))
        .end()
    })
  } finally {
    server.close()
    server.closeAllConnections()
  }
}

describe('the certificate of a directory', () => {
  it('is the same at every start, and only its user may read the key', async () => {
    const folder = await emptyFolder()
    const first = await createLocalCertificate(Date.now(), folder)
    const second = await createLocalCertificate(Date.now() + 300 * DAY_MS, folder)

    expect(second).toMatchObject({ key: first.key.trim(), cert: first.cert.trim() })
    expect(second.caFile).toBe(first.caFile)
    expect((await stat(join(folder, 'localnet-tls.pem'))).mode & 0o777).toBe(0o600)
    expect((await readdir(folder)).sort()).toEqual(['localnet-ca.pem', 'localnet-tls.pem'])
    expect(await isTrusted(second, await readFile(first.caFile, 'utf8'))).toBe(true)
  })

  it('is replaced before it expires, and a network that still serves with it stays trusted', async () => {
    const folder = await emptyFolder()
    const old = await createLocalCertificate(Date.now() - 340 * DAY_MS, folder)
    const next = await createLocalCertificate(Date.now(), folder)
    const ca = await readFile(next.caFile, 'utf8')

    expect(next.cert).not.toBe(old.cert)
    expect(await isTrusted(next, ca)).toBe(true)
    expect(await isTrusted(old, ca)).toBe(true)

    const last = await createLocalCertificate(Date.now() + 345 * DAY_MS, folder)
    const authorities = (await readFile(last.caFile, 'utf8')).match(/BEGIN CERTIFICATE/g)
    expect(authorities).toHaveLength(2)
  })

  it.each([
    { what: 'the key', file: 'localnet-tls.pem', text: 'no key' },
    { what: 'the authority', file: 'localnet-ca.pem', text: '' },
  ])('works again after $what was damaged', async ({ file, text }) => {
    const folder = await emptyFolder()
    await createLocalCertificate(Date.now(), folder)
    await writeFile(join(folder, file), text)
    const repaired = await createLocalCertificate(Date.now(), folder)
    expect(await isTrusted(repaired, await readFile(repaired.caFile, 'utf8'))).toBe(true)
  })

  it('is one for all networks that start at the same time', async () => {
    const folder = await emptyFolder()
    const starts = [1, 2, 3, 4].map(() => createLocalCertificate(Date.now(), folder))
    const certificates = new Set((await Promise.all(starts)).map(({ cert }) => cert.trim()))
    expect(certificates.size).toBe(1)
  })
})
