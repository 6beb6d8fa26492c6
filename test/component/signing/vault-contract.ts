import { rm, writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { KeyService } from '../../../src/signing/key-service.ts'
import type { VaultPlace } from '../../../src/signing/signer-place.ts'
import { openVault } from '../../../src/signing/vault/open-vault.ts'
import { verifyBytes } from '../../../src/stellar/accounts/ed25519.ts'
import type { RunningVault } from '../../support/vault/vault-admin.ts'
import { noLimit, problemIn, requestsOf, VaultSetup, withVault } from './vault-setup.ts'

/** Whether it signs `count` requests for the public key. */
async function signs(service: KeyService, publicKey: Uint8Array, count = 1): Promise<boolean> {
  const requests = requestsOf(count)
  const results = await service.sign(requests, noLimit)
  expect(results).toHaveLength(count)
  return results.every(
    (result, index) =>
      result.ok &&
      verifyBytes(requests[index]?.hash ?? new Uint8Array(), publicKey, result.signature),
  )
}

const keyOf = (place: VaultPlace): Promise<Uint8Array> =>
  withVault(place, (service) => service.publicKey(noLimit))

const signProblem = (place: VaultPlace) =>
  problemIn(withVault(place, (service) => service.sign(requestsOf(2), noLimit)))

const keyProblem = (place: VaultPlace) => problemIn(keyOf(place))

/** What holds for a real Vault and for the stand-in. */
export function vaultContract(start: () => Promise<RunningVault>): void {
  let setup: VaultSetup

  beforeAll(async () => {
    setup = await VaultSetup.open(await start())
  })
  afterAll(() => setup?.[Symbol.asyncDispose]())

  test('it signs a hundred requests in one batch, for the key that it names', async () => {
    await using service = openVault(await setup.place())
    const publicKey = await service.publicKey(noLimit)
    await expect(signs(service, publicKey, 100)).resolves.toBe(true)
  })

  test.each([{ type: 'ecdsa-p256' }, { type: 'aes256-gcm96' }, { type: 'ed25519', derived: true }])(
    'it refuses a key of %o',
    async (settings) => {
      const key = settings.derived ? 'derived' : settings.type
      await setup.admin.createKey(key, settings)
      const place = await setup.place({ key })
      const { problem, text } = await keyProblem(place)
      expect(problem).toBe('no_key')
      expect(text).toContain(settings.derived ? 'is derived' : `of type ${settings.type}`)
      await expect(signProblem(place)).resolves.toMatchObject({ problem: 'no_key' })
    },
  )

  test('a key that is missing, or that cannot sign, is no key, whichever call notices first', async () => {
    const missing = await setup.place({ key: 'missing' })
    await expect(keyProblem(missing)).resolves.toMatchObject({ problem: 'no_key' })
    const pinned = await signProblem({ ...missing, version: 1 })
    expect(pinned).toMatchObject({
      problem: 'no_key',
      text: expect.stringContaining('asked to sign with the key missing'),
    })
    await setup.admin.createKey('symmetric', { type: 'aes256-gcm96' })
    const symmetric = await setup.place({ key: 'symmetric', version: 1 })
    await expect(signProblem(symmetric)).resolves.toMatchObject({ problem: 'no_key' })
  })

  test('it signs with the version that the place names, whatever the latest is', async () => {
    const place = await setup.place()
    const first = await keyOf(place)
    await setup.admin.rotateKey(place.key)
    const second = await keyOf(place)
    expect(second).not.toEqual(first)
    for (const [version, publicKey] of [first, second].entries()) {
      await using service = openVault({ ...place, version: version + 1 })
      // Also without a call before that reads the public key.
      await expect(signs(service, publicKey)).resolves.toBe(true)
      await expect(service.publicKey(noLimit)).resolves.toEqual(publicKey)
    }
  })

  test('without a version, it signs with the key that it has named, also after a rotation', async () => {
    const place = await setup.place()
    await using service = openVault(place)
    const first = await service.publicKey(noLimit)
    await setup.admin.rotateKey(place.key)
    await expect(signs(service, first)).resolves.toBe(true)
    const second = await service.publicKey(noLimit)
    expect(second).not.toEqual(first)
    await expect(signs(service, second)).resolves.toBe(true)
  })

  test('a version that does not exist, or may sign no longer, is no key', async () => {
    const place = await setup.place({ version: 7 })
    await expect(keyProblem(place)).resolves.toMatchObject({
      problem: 'no_key',
      text: expect.stringContaining('has no version 7; its latest is 1'),
    })
    await expect(signProblem(place)).resolves.toMatchObject({ problem: 'no_key' })
    await setup.admin.rotateKey(place.key)
    await setup.admin.configureKey(place.key, { min_encryption_version: 2 })
    await expect(signProblem({ ...place, version: 1 })).resolves.toMatchObject({
      problem: 'no_key',
      text: expect.stringContaining('cannot sign with version 1'),
    })
  })

  test('it logs in once with the token of its service account, and once more when its own token has ended', async () => {
    const login = await setup.kubernetesLogin()
    const before = setup.account.reviewed.length
    await using service = openVault(await setup.place({ login }))
    const publicKey = await service.publicKey(noLimit)
    await expect(signs(service, publicKey)).resolves.toBe(true)
    expect(setup.account.reviewed.length - before).toBe(1)
    await setup.admin.revokeLogins()
    const all = [1, 2, 3].map(() => signs(service, publicKey))
    await expect(Promise.all(all)).resolves.toEqual([true, true, true])
    expect(setup.account.reviewed.length - before).toBe(2)
  })

  test('each login reads the token of the service account again', async () => {
    const first = setup.account.issue()
    const login = await setup.kubernetesLogin(first)
    await using service = openVault(await setup.place({ login }))
    const publicKey = await service.publicKey(noLimit)
    const second = setup.account.issue()
    await writeFile(login.jwtFile, second)
    setup.account.revoke(first)
    await setup.admin.revokeLogins()
    await expect(signs(service, publicKey)).resolves.toBe(true)
    expect(setup.account.reviewed.at(-1)).toBe(second)
  })

  test('a login that Vault denies is denied, and the message has no token', async () => {
    const revoked = setup.account.issue()
    setup.account.revoke(revoked)
    const { problem, text } = await keyProblem(
      await setup.place({ login: await setup.kubernetesLogin(revoked) }),
    )
    expect(problem).toBe('denied')
    expect(text).toContain('log in with the role facilitator')
    expect(text).not.toContain(revoked)
    const login = await setup.kubernetesLogin(setup.account.issue(), 'no-such-role')
    await expect(keyProblem(await setup.place({ login }))).resolves.toMatchObject({
      problem: 'denied',
    })
  })

  test('a token of a file is renewed, and another one in the file is used from the next call on', async () => {
    const first = await setup.admin.signerToken()
    const tokenFile = await setup.put('replaced.token', first)
    await using service = openVault(await setup.place({ login: { kind: 'token', tokenFile } }))
    const publicKey = await service.publicKey(noLimit)
    await expect(setup.admin.lastRenewalOf(first)).resolves.toBeGreaterThan(0)
    await setup.admin.revoke(first)
    const { problem, text } = await problemIn(service.sign(requestsOf(1), noLimit))
    expect(problem).toBe('denied')
    expect(text).not.toContain(first)
    const second = await setup.admin.signerToken()
    await writeFile(tokenFile, second)
    await expect(signs(service, publicKey)).resolves.toBe(true)
    await expect(setup.admin.lastRenewalOf(second)).resolves.toBeGreaterThan(0)
  })

  test('a token without the right to sign is denied', async () => {
    const token = await setup.admin.signerToken({ policies: ['default'] })
    const tokenFile = await setup.put('powerless.token', token)
    const place = await setup.place({ login: { kind: 'token', tokenFile } })
    await expect(keyProblem(place)).resolves.toMatchObject({ problem: 'denied' })
  })

  test.each(['', 'two words', 'line\nline'])('a token file with %j is denied', async (content) => {
    const tokenFile = await setup.put('wrong.token', content)
    const place = await setup.place({ login: { kind: 'token', tokenFile } })
    const { problem, text } = await keyProblem(place)
    expect(problem).toBe('denied')
    expect(text).toContain('holds no token')
    await rm(tokenFile)
    await expect(keyProblem(place)).resolves.toMatchObject({
      problem: 'denied',
      text: expect.stringContaining('(ENOENT)'),
    })
  })

  test('a sealed Vault is unreachable until it is unsealed', async () => {
    await using service = openVault(await setup.place())
    const publicKey = await service.publicKey(noLimit)
    await setup.admin.seal()
    const { problem, text } = await problemIn(service.sign(requestsOf(1), noLimit))
    expect(problem).toBe('unreachable')
    expect(text).toContain('is sealed')
    await setup.admin.unseal()
    await expect
      .poll(() => signs(service, publicKey).catch((error: Error) => error.message))
      .toBe(true)
  })

  test('it trusts the authorities of the CA file alone, which it reads again', async () => {
    const place = await setup.place()
    await using service = openVault(place)
    const publicKey = await service.publicKey(noLimit)
    await setup.vault.renewCertificate()
    await expect(keyProblem(place)).resolves.toMatchObject({
      problem: 'unreachable',
      text: expect.stringContaining('shows a certificate that Node does not trust'),
    })
    await writeFile(place.caFile ?? '', setup.vault.authority)
    await expect(signs(service, publicKey)).resolves.toBe(true)
    const missing = await keyProblem({ ...place, caFile: '/nowhere/ca.crt' })
    expect(missing).toMatchObject({
      problem: 'unreachable',
      text: expect.stringContaining('cannot read the CA file /nowhere/ca.crt (ENOENT)'),
    })
  })
}
