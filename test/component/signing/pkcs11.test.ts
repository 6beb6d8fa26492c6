import { rm } from 'node:fs/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { MAX_BATCH } from '../../../src/signing/key-service.ts'
import { noSoftHsm } from '../../support/softhsm/no-softhsm.ts'
import { type SoftHsmToken, startToken } from '../../support/softhsm/start-token.ts'
import { expectSignatures, requestsOf, serviceOf } from './token-service.ts'

const missing = await noSoftHsm()
const anotherPin = (pin: string) => String((Number(pin) + 1) % 1e9).padStart(9, '0')

describe('a key in a PKCS#11 token', () => {
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

  test('signs the largest batch, and many calls at once, in one process', async () => {
    await using service = serviceOf(token)

    expect(await service.publicKey()).toEqual(key)
    await expectSignatures(service, key, MAX_BATCH)
    await Promise.all([1, 2, 3].map((count) => expectSignatures(service, key, count)))
    expect(service.pids).toHaveLength(1)
  })

  test('does not try a refused PIN again until the file holds another one', async () => {
    await using service = serviceOf(token)
    const wrong = anotherPin(token.pin)
    const refused = { problem: 'denied', message: expect.stringContaining('CKR_PIN_INCORRECT') }
    const notTried = { problem: 'denied', message: expect.stringContaining('has refused this PIN') }

    await token.writePin(wrong)
    await expect(service.publicKey()).rejects.toMatchObject(refused)
    await expect(service.publicKey()).rejects.toMatchObject(notTried)
    await expect(service.sign(requestsOf(1))).rejects.toMatchObject(notTried)
    // The same PIN in a file that was written again.
    await token.writePin(`${wrong}\n`)
    await expect(service.publicKey()).rejects.toMatchObject(notTried)
    await token.writePin(anotherPin(wrong))
    await expect(service.publicKey()).rejects.toMatchObject(refused)
    await token.writePin(token.pin)
    expect(await service.publicKey()).toEqual(key)
  })

  test('is denied without a PIN file, and while it is empty', async () => {
    await using service = serviceOf(token)

    await rm(token.place.pinFile)
    await expect(service.publicKey()).rejects.toMatchObject({
      problem: 'denied',
      message: expect.stringContaining('ENOENT'),
    })
    await token.writePin('\n')
    await expect(service.publicKey()).rejects.toMatchObject({
      problem: 'denied',
      message: 'the PIN file is empty',
    })
    await token.writePin(token.pin)
    expect(await service.publicKey()).toEqual(key)
  })

  test('is unreachable while its token is removed, and signs once it is back', async () => {
    await using service = serviceOf(token)
    const noToken = {
      problem: 'unreachable',
      message: 'the PKCS#11 library has no token with the label "a token of tests"',
    }

    await expectSignatures(service, key)
    await token.remove()
    // The open session fails first, in a manner that each library chooses.
    await expect(service.publicKey()).rejects.toMatchObject({ name: 'SignerError' })
    await expect(service.sign(requestsOf(1))).rejects.toMatchObject(noToken)
    await expect(service.publicKey()).rejects.toMatchObject(noToken)
    await token.putBack()
    await expectSignatures(service, key)
    expect(await service.publicKey()).toEqual(key)
  })

  test('starts before its token is there', async () => {
    await token.remove()
    await using service = serviceOf(token)

    await expect(service.publicKey()).rejects.toMatchObject({ problem: 'unreachable' })
    await token.putBack()
    expect(await service.publicKey()).toEqual(key)
  })

  test('needs exactly one key pair with its label, and says when it was replaced', async () => {
    await using another = await startToken()
    await using service = serviceOf(another)

    await expectSignatures(service, another.publicKey)
    await another.deleteKeys()
    // The key of the open session fails first, in a manner that each library chooses.
    await expect(service.sign(requestsOf(1))).rejects.toMatchObject({ name: 'SignerError' })
    await expect(service.sign(requestsOf(1))).rejects.toMatchObject({
      problem: 'no_key',
      message: expect.stringMatching(/no private Edwards key .* label "sponsor"/),
    })
    const second = await another.generateKey()
    await expectSignatures(service, second)
    await another.deleteKeys()
    const third = await another.generateKey()
    expect(await service.publicKey()).toEqual(third)
    await expectSignatures(service, third)
    await another.generateKey()
    await expect(service.publicKey()).rejects.toMatchObject({
      problem: 'no_key',
      message: expect.stringContaining('more than one private'),
    })
  })

  test('is unreachable with a library that is missing or is none', async () => {
    for (const modulePath of ['/nowhere/libpkcs11.so', import.meta.filename]) {
      await using service = serviceOf(token, { modulePath })
      await expect(service.publicKey()).rejects.toMatchObject({
        problem: 'unreachable',
        message: expect.stringContaining('cannot load the PKCS#11 library'),
      })
    }
  })
})
