import { execFile } from 'node:child_process'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { Agent, request } from 'undici'
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest'
import { openHttpSigner } from '../../../src/signing/http/http-signer.ts'
import { verifyBytes } from '../../../src/stellar/accounts/ed25519.ts'
import type { SigningRequest } from '../../../src/stellar/accounts/envelope-signer.ts'
import { FEE, outcome, settlements, signedBy } from './requests.ts'
import {
  configOf,
  openFolder,
  type SidecarFolder,
  sponsor,
  startSidecar,
} from './sidecar-process.ts'

const verifier = 'examples/signer-sidecar/verify-log.ts'
const run = promisify(execFile)
const signal = () => AbortSignal.timeout(120_000)

let folder: SidecarFolder
let socketPath: string
let config: object
beforeEach(async () => {
  folder = await openFolder()
  socketPath = folder.path('signer.sock')
  config = configOf(folder, { socketPath })
})
afterEach(() => folder[Symbol.asyncDispose]())

const clientOf = () => openHttpSigner({ kind: 'http', endpoint: { socketPath } })

describe('a sidecar at a socket', () => {
  it('signs, for its own user and group alone', async () => {
    await using _ = await startSidecar(folder, config)
    await using service = clientOf()
    expect(await service.publicKey(signal())).toEqual(sponsor.publicKey)
    expect(await signedBy(service, await settlements(3))).toEqual([true, true, true])
    expect((await stat(socketPath)).mode & 0o777).toBe(0o660)
    expect((await stat(folder.path('log.jsonl'))).mode & 0o777).toBe(0o600)
  })

  it('that stands still is left when the signal aborts, and signs again when it goes on', async () => {
    await using sidecar = await startSidecar(folder, config)
    await using service = clientOf()
    expect(await signedBy(service, await settlements(1))).toEqual([true])
    sidecar.child.kill('SIGSTOP')
    const ending = new AbortController()
    const asked = service.sign(await settlements(1), ending.signal)
    const reason = new Error('too slow')
    ending.abort(reason)
    await expect(asked).rejects.toBe(reason)
    sidecar.child.kill('SIGCONT')
    expect(await signedBy(service, await settlements(1))).toEqual([true])
  })

  it('has two routes, and takes what the protocol says', async () => {
    await using _ = await startSidecar(folder, config)
    await using opened = new AsyncDisposableStack()
    const agent = opened.adopt(new Agent({ connect: { socketPath } }), (each) => each.destroy())
    const ask = async (method: string, path: string, body?: string) => {
      const answer = await request(`http://signer${path}`, {
        dispatcher: agent,
        method,
        ...(body !== undefined && { body }),
      })
      await answer.body.dump()
      return answer.statusCode
    }
    const [one] = await settlements(1)
    if (one?.kind !== 'transaction') throw new Error('no transaction')
    const { network, purpose, kind, envelopeXdr: envelope } = one
    const wire = { network, purpose, kind, envelope }
    const sign = (...requests: readonly object[]) =>
      ask('POST', '/v1/sign', JSON.stringify({ requests }))
    expect(await sign(wire)).toBe(200)
    expect(
      await Promise.all([
        sign(),
        sign({ ...wire, hash: 'ab'.repeat(32) }),
        sign({ ...wire, purpose: 'announcement' }),
        sign(...Array.from({ length: 101 }, () => wire)),
        ask('POST', '/v1/sign', '{'),
        ask('POST', '/v1/sign', '[]'),
        ask('POST', '/v1/sign', ''),
      ]),
    ).toEqual(Array.from({ length: 7 }, () => 400))
    expect(await ask('POST', '/v1/sign', 'x'.repeat(9 * 1024 * 1024)).catch(() => 413)).toBe(413)
    expect(await sign(wire)).toBe(200)
    const paths = [
      '/',
      '/v1',
      '/v1/keys',
      '/v1/sign',
      '/v1/key/',
      '/v1/key?debug=1',
      '/metrics',
      '//v1/key',
    ]
    for (const path of paths) expect(await ask('GET', path), path).toBe(404)
    expect(await ask('PUT', '/v1/sign', '{}')).toBe(404)
  })

  it('is not started twice, nor with a log that was changed, nor with a seed that everybody can read', async () => {
    {
      await using _ = await startSidecar(folder, config)
      await using service = clientOf()
      await signedBy(service, await settlements(2))
      await expect(startSidecar(folder, config)).rejects.toThrow('another process listens')
      // The second one has left the first one's log alone.
      expect(await signedBy(service, await settlements(1))).toEqual([true])
    }
    const log = await readFile(folder.path('log.jsonl'), 'utf8')
    await writeFile(folder.path('log.jsonl'), log.replace(`"fee":"${FEE}"`, '"fee":"1"'))
    await expect(startSidecar(folder, config)).rejects.toThrow('line 1 of the log does not add up')
    await expect(run(process.execPath, [verifier, folder.path('log.jsonl')])).rejects.toMatchObject(
      {
        code: 1,
        stderr: 'line 1 of the log does not add up\n',
      },
    )
    await run('chmod', ['644', folder.path('sponsor.seed')])
    await expect(startSidecar(folder, config)).rejects.toThrow('is open to every user')
  })

  it('names every problem of its configuration', async () => {
    const wrong = {
      ...config,
      networks: [],
      policy: { maxFeeStroops: 1, recipients: ['GABC'], debug: true },
    }
    const error = String(await startSidecar(folder, wrong).catch(String))
    for (const each of ['networks', 'maxFeeStroops', 'recipients', 'maxXlmPerHour', 'debug']) {
      expect(error).toContain(each)
    }
  })

  it('signs nothing that it cannot log', async () => {
    // The kernel refuses to let files of this process grow beyond so many blocks.
    await using _ = await startSidecar(folder, config, ['sh', '-c', 'ulimit -f 8; exec "$@"', 'sh'])
    await using service = clientOf()
    const results: string[] = []
    while (!results.includes('unreachable') && results.length < 100) {
      results.push(await outcome(service.sign(await settlements(3), signal())))
    }
    expect(results.at(-1)).toBe('unreachable')
    expect(await outcome(service.sign(await settlements(100), signal()))).toBe('unreachable')
    const { stdout } = await run(process.execPath, [verifier, folder.path('log.jsonl')])
    expect(stdout).toContain(`lines            ${(results.length - 1) * 3}\n`)
  })
})

test('a sidecar that is killed while it signs has every signature in its log, and goes on with its sums', async () => {
  const signed: SigningRequest[] = []
  const asked: SigningRequest[] = []
  for (const round of [1, 2, 3]) {
    await using sidecar = await startSidecar(folder, config)
    await using service = clientOf()
    const ask = async () => {
      const requests = await settlements(20)
      asked.push(...requests)
      const results = await service.sign(requests, signal())
      results.forEach((result, index) => {
        const one = requests[index]
        if (!result.ok || !one) throw new Error('not signed')
        expect(verifyBytes(one.hash, sponsor.publicKey, result.signature)).toBe(true)
        signed.push(one)
      })
    }
    const lanes = Array.from({ length: 4 }, async () => {
      for (;;) await ask()
    })
    const ended = Promise.allSettled(lanes)
    await expect.poll(() => signed.length, { interval: 5 }).toBeGreaterThan(round * 300)
    await sidecar.stop('SIGKILL')
    await ended
  }
  const lines = (await readFile(folder.path('log.jsonl'), 'utf8')).split('\n').slice(0, -1)
  const logged = new Set(lines.map((line) => JSON.parse(line).hash))
  const hex = ({ hash }: SigningRequest) => Buffer.from(hash).toString('hex')
  expect(signed.filter((each) => !logged.has(hex(each)))).toEqual([])
  const askedFor = new Set(asked.map(hex))
  expect([...logged].filter((each) => !askedFor.has(each))).toEqual([])

  await using sidecar = await startSidecar(folder, config)
  await using service = clientOf()
  expect(await signedBy(service, await settlements(1))).toEqual([true])
  await sidecar.stop('SIGTERM')
  const { stdout } = await run(process.execPath, [verifier, folder.path('log.jsonl')])
  const total = BigInt(logged.size + 1) * FEE
  const part = String(total % 10_000_000n).padStart(7, '0')
  expect(stdout).toContain(`lines            ${logged.size + 1}\n`)
  expect(stdout).toContain(`fees at most     ${total / 10_000_000n}.${part} XLM\n`)
})
