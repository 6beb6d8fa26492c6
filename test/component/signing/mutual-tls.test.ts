import { copyFile, utimes } from 'node:fs/promises'
import { request as httpsRequest } from 'node:https'
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { openHttpSigner } from '../../../src/signing/http/http-signer.ts'
import type { KeyService } from '../../../src/signing/key-service.ts'
import { type Authority, createAuthority, createCertificate } from './certificates.ts'
import { message, outcome, settlements, signedBy } from './requests.ts'
import {
  configOf,
  openFolder,
  type Sidecar,
  type SidecarFolder,
  sponsor,
  startSidecar,
} from './sidecar-process.ts'

const opened = new AsyncDisposableStack()
let folder: SidecarFolder
let config: object
let sidecar: Sidecar
let authority: Authority
let port: string

const signal = () => AbortSignal.timeout(120_000)
const clientOf = (name: string, ca = 'ca'): KeyService =>
  openHttpSigner({
    kind: 'http',
    endpoint: {
      url: `https://127.0.0.1:${port}/`,
      caFile: folder.path(`${ca}.crt`),
      certFile: folder.path(`${name}.crt`),
      keyFile: folder.path(`${name}.key`),
    },
  })

beforeAll(async () => {
  folder = opened.use(await openFolder())
  authority = await createAuthority('authority')
  const foreign = await createAuthority('another authority')
  const pairs = {
    server: await createCertificate(authority, 'signer.example'),
    client: await createCertificate(authority, 'facilitator.example'),
    unknown: await createCertificate(authority, 'somebody.example'),
    foreign: await createCertificate(foreign, 'facilitator.example'),
  }
  await folder.write('ca.crt', authority.cert)
  await folder.write('foreign-ca.crt', foreign.cert)
  for (const [name, { cert, key }] of Object.entries(pairs)) {
    await folder.write(`${name}.crt`, cert)
    await folder.write(`${name}.key`, key)
  }
  config = configOf(folder, {
    host: '127.0.0.1',
    port: 0,
    certFile: folder.path('server.crt'),
    keyFile: folder.path('server.key'),
    clientCaFile: folder.path('ca.crt'),
    clients: ['facilitator.example'],
  })
  sidecar = opened.use(await startSidecar(folder, config))
  port = sidecar.at.split(':').at(-1) ?? ''
})
afterAll(() => opened.disposeAsync())

describe('a client with a certificate that the sidecar knows', () => {
  it('gets the public key, however many ask at once', async () => {
    await using service = clientOf('client')
    const asked = Array.from({ length: 20 }, () => service.publicKey(signal()))
    expect(await Promise.all(asked)).toEqual(asked.map(() => sponsor.publicKey))
  })

  it('gets 100 signatures in the order of its requests, with refusals where they belong', async () => {
    await using service = clientOf('client')
    const requests = [...(await settlements(99))]
    requests.splice(40, 0, message('I owe you 100 XLM'))
    const results = await signedBy(service, requests)
    expect(results[40]).toBe('message: the message is no announcement')
    expect(results.filter((result) => result === true)).toHaveLength(99)
  })

  it('shows its new certificate once the files have changed', async () => {
    for (const end of ['crt', 'key'])
      await copyFile(folder.path(`unknown.${end}`), folder.path(`renewed.${end}`))
    await using service = clientOf('renewed')
    expect(await outcome(service.publicKey(signal()))).toBe('denied')
    for (const end of ['crt', 'key']) {
      await copyFile(folder.path(`client.${end}`), folder.path(`renewed.${end}`))
      await utimes(folder.path(`renewed.${end}`), 1, 1)
    }
    expect(await outcome(service.publicKey(signal()))).toBe('answered')
  })
})

describe('nobody else', () => {
  test('gets an answer: a certificate of the authority with another name', async () => {
    await using service = clientOf('unknown')
    expect(await outcome(service.publicKey(signal()))).toBe('denied')
    expect(await outcome(service.sign(await settlements(1), signal()))).toBe('denied')
  })

  test('gets an answer: a certificate of another authority', async () => {
    await using service = clientOf('foreign')
    // The alert may be lost when the connection is reset right after it.
    expect(['denied', 'unreachable']).toContain(await outcome(service.publicKey(signal())))
  })

  test('gets an answer: a client without a certificate', async () => {
    const asked = new Promise((resolve, reject) => {
      const request = httpsRequest(
        { host: '127.0.0.1', port, path: '/v1/key', rejectUnauthorized: false },
        resolve,
      )
      request.on('error', reject).end()
    })
    await expect(asked).rejects.toThrow()
  })

  test('is taken for the sidecar: a server whose certificate another authority has signed', async () => {
    await using service = clientOf('client', 'foreign-ca')
    expect(await outcome(service.publicKey(signal()))).toBe('unreachable')
  })

  test('is taken for the sidecar: a server with another name', async () => {
    await using service = openHttpSigner({
      kind: 'http',
      endpoint: {
        url: `https://localhost:${port}`,
        caFile: folder.path('ca.crt'),
        certFile: folder.path('client.crt'),
        keyFile: folder.path('client.key'),
      },
    })
    expect(await outcome(service.publicKey(signal()))).toBe('unreachable')
  })
})

test('a sidecar that is started again signs for the same client, and shows its new certificate after SIGHUP', async () => {
  await using service = clientOf('client')
  expect(await signedBy(service, await settlements(1))).toEqual([true])
  await sidecar.stop('SIGKILL')
  expect(await outcome(service.publicKey(signal()))).toBe('unreachable')
  const again = { ...config, listen: { ...Object(config).listen, port: Number(port) } }
  sidecar = opened.use(await startSidecar(folder, again))
  expect(await signedBy(service, await settlements(1))).toEqual([true])

  const renewed = await createAuthority('renewed authority')
  const { cert, key } = await createCertificate(renewed, 'signer.example')
  await folder.write('server.crt', cert)
  await folder.write('server.key', key)
  await folder.write('renewed-ca.crt', renewed.cert)
  sidecar.child.kill('SIGHUP')
  await expect.poll(() => sidecar.output()).toContain('"reloaded"')
  await using trusting = clientOf('client', 'renewed-ca')
  expect(await outcome(trusting.publicKey(signal()))).toBe('answered')
  await using foreign = clientOf('foreign', 'renewed-ca')
  expect(await outcome(foreign.publicKey(signal()))).not.toBe('answered')
})

test('a certificate that is nowhere is named', async () => {
  await using service = clientOf('missing')
  await expect(service.publicKey(signal())).rejects.toMatchObject({
    problem: 'unreachable',
    message: `cannot read ${folder.path('missing.crt')}`,
  })
})
