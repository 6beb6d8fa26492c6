import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { noSoftHsm } from '../../support/softhsm/no-softhsm.ts'
import { type SoftHsmToken, startToken } from '../../support/softhsm/start-token.ts'
import {
  expectSignatures,
  isGone,
  NO_PROCESS,
  problemOfSignal,
  requestsOf,
  serviceOf,
} from './token-service.ts'

const missing = await noSoftHsm()

describe('the process of a PKCS#11 library', () => {
  let token: SoftHsmToken
  let key: Uint8Array

  beforeAll(async () => {
    if (missing !== undefined) return
    token = await startToken()
    key = token.publicKey
  })
  beforeEach(({ skip }) => {
    if (missing !== undefined) skip(missing)
  })
  afterAll(() => token?.[Symbol.asyncDispose]())

  test('fails the call whose process is killed, and signs with a new process', async () => {
    await using service = serviceOf(token)

    await service.publicKey()
    const [killed] = service.pids
    // A stopped process gives no answer before it is killed.
    process.kill(killed!, 'SIGSTOP')
    const underWay = service.sign(requestsOf(1))
    process.kill(killed!, 'SIGKILL')
    await expect(underWay).rejects.toMatchObject({
      problem: 'unreachable',
      message: 'the process of the PKCS#11 library ended (SIGKILL)',
    })
    await expectSignatures(service, key)
    expect(service.pids).toHaveLength(2)
  })

  test('kills a process that hangs when the signal aborts, and spares the calls that wait', async () => {
    await using service = serviceOf(token)

    await service.publicKey()
    const [hanging] = service.pids
    process.kill(hanging!, 'SIGSTOP')
    const limit = new AbortController()
    const waiting = new AbortController()
    const underWay = service.service.sign(requestsOf(1), limit.signal)
    const abandoned = service.service.sign(requestsOf(1), waiting.signal)
    const patient = expectSignatures(service, key)

    waiting.abort(new Error('no longer needed'))
    await expect(abandoned).rejects.toThrow('no longer needed')
    expect(problemOfSignal(hanging!)).toBeUndefined()
    limit.abort(new Error('too late'))
    await expect(underWay).rejects.toThrow('too late')
    await patient
    await isGone(hanging!)
    expect(service.pids).toHaveLength(2)
  })

  test('leaves no process when it is closed, and fails the calls under way', async () => {
    const service = serviceOf(token)

    await service.publicKey()
    process.kill(service.pids[0]!, 'SIGSTOP')
    const underWay = expect(service.publicKey()).rejects.toMatchObject({ problem: 'unreachable' })
    const waiting = expect(service.publicKey()).rejects.toMatchObject({ problem: 'unreachable' })
    await service[Symbol.asyncDispose]()
    await Promise.all([underWay, waiting])
    expect(service.pids.map(problemOfSignal)).toEqual([NO_PROCESS])
  })

  test('replaces a process that was killed between two calls', async () => {
    await using service = serviceOf(token)

    await service.publicKey()
    process.kill(service.pids[0]!, 'SIGKILL')
    await isGone(service.pids[0]!)
    await expectSignatures(service, key)
    expect(service.pids).toHaveLength(2)
  })

  test('leaves no process when the service itself is killed', async () => {
    const openUrl = import.meta.resolve('../../../src/signing/pkcs11/open-pkcs11.ts')
    const deps = `{ environment: process.env, onProcess: (pid) => process.stdout.write(pid + '\\n') }`
    const code = `
      const { openPkcs11 } = await import(${JSON.stringify(openUrl)})
      const service = openPkcs11(${JSON.stringify(token.place)}, ${deps})
      await service.publicKey(new AbortController().signal)
    `
    const args = ['--input-type=module', '--eval', code]
    const parent = spawn(process.execPath, args, {
      env: token.environment,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const [line] = await once(parent.stdout, 'data')
    expect(problemOfSignal(Number(line))).toBeUndefined()
    // Both processes hold the standard error: it ends with the second of them.
    const closed = once(parent, 'close')
    parent.stderr.resume()
    parent.kill('SIGKILL')
    await closed
  })
})
