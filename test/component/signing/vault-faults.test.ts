import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { noLongerNeeded } from '../../../src/platform/core/time/no-longer-needed.ts'
import { openVault } from '../../../src/signing/vault/open-vault.ts'
import {
  type StandInAnswer,
  startVaultStandIn,
  type VaultFault,
  type VaultStandIn,
} from '../../support/vault/vault-stand-in.ts'
import { noLimit, problemIn, requestsOf, VaultSetup, withVault } from './vault-setup.ts'

let vault: VaultStandIn
let setup: VaultSetup

beforeAll(async () => {
  vault = await startVaultStandIn()
  setup = await VaultSetup.open(vault)
})
afterEach(() => {
  vault.fault = undefined
})
afterAll(() => setup?.[Symbol.asyncDispose]())

/** Answers each request to sign so, and all others as usual. */
const whenSigning =
  (answer: StandInAnswer): VaultFault =>
  ({ path }) =>
    path.startsWith('transit/sign/') ? answer : undefined

const signTwo = async () => {
  const place = await setup.place()
  return withVault(place, (service) => service.sign(requestsOf(2), noLimit))
}

describe('a status of Vault', () => {
  test.each<{ status: number; problem: string; says: string; location?: string }>([
    {
      status: 307,
      problem: 'unreachable',
      says: 'redirects to other:8200, which is not followed',
      location: 'https://other:8200/v1/x?secret=1',
    },
    {
      status: 307,
      problem: 'unreachable',
      says: 'redirects to another address',
      location: '/elsewhere',
    },
    { status: 400, problem: 'invalid', says: 'answers with status 400: as Vault says' },
    { status: 404, problem: 'no_key', says: 'has nothing at that path' },
    { status: 412, problem: 'unreachable', says: 'has not replicated' },
    { status: 429, problem: 'unreachable', says: 'is a standby or limits the rate' },
    { status: 472, problem: 'unreachable', says: 'is a disaster recovery secondary' },
    { status: 473, problem: 'unreachable', says: 'is a performance standby' },
    { status: 500, problem: 'unreachable', says: 'fails with status 500: as Vault says' },
    { status: 503, problem: 'unreachable', says: 'is sealed or in maintenance' },
  ])('$status is $problem: it $says', async ({ status, problem, says, location }) => {
    const headers = location === undefined ? {} : { location }
    vault.fault = whenSigning({ status, headers, body: { errors: ['as\nVault says'] } })
    const found = await problemIn(signTwo())
    expect(found.problem).toBe(problem)
    expect(found.text).toContain(`asked to sign with the key`)
    expect(found.text).toContain(says)
    expect(found.text).not.toContain('secret')
  })

  test('that has no JSON is told by the status alone', async () => {
    vault.fault = whenSigning({ status: 502, body: '<html>bad gateway</html>' })
    const { problem, text } = await problemIn(signTwo())
    expect(problem).toBe('unreachable')
    expect(text).toContain('fails with status 502')
    expect(text).not.toContain('gateway')
  })
})

describe('requests', () => {
  test('of a batch that Vault refuses are refused alone, in their places', async () => {
    const signature = `vault:v1:${Buffer.alloc(64, 1).toString('base64')}`
    const batch_results = [{ error: 'not\u0007 today' }, { signature, error: '' }]
    vault.fault = whenSigning({ status: 200, body: { data: { batch_results } } })
    await expect(signTwo()).resolves.toEqual([
      { ok: false, because: 'not today' },
      { ok: true, signature: new Uint8Array(64).fill(1) },
    ])
  })

  test('name the namespace and that this is no browser, also the login', async () => {
    const login = await setup.kubernetesLogin()
    const place = await setup.place({ namespace: 'team/payments', login })
    const before = vault.requests.length
    await withVault(place, (service) => service.sign(requestsOf(1), noLimit))
    const sent = vault.requests.slice(before)
    expect(sent.map(({ path }) => path)).toEqual([
      'auth/kubernetes/login',
      `transit/keys/${place.key}`,
      `transit/sign/${place.key}`,
    ])
    for (const { headers } of sent) {
      expect(headers).toMatchObject({
        'x-vault-namespace': 'team/payments',
        'x-vault-request': 'true',
      })
    }
    expect(sent[0]?.headers).not.toHaveProperty('x-vault-token')
  })

  test('that Vault denies again after a new login are denied: one login for each call', async () => {
    const login = await setup.kubernetesLogin()
    const place = await setup.place({ login, version: 1 })
    vault.fault = whenSigning({ status: 403, body: { errors: ['permission denied'] } })
    const before = vault.requests.length
    const work = withVault(place, (service) => service.sign(requestsOf(1), noLimit))
    await expect(problemIn(work)).resolves.toMatchObject({ problem: 'denied' })
    expect(vault.requests.slice(before).map(({ path }) => path)).toEqual([
      'auth/kubernetes/login',
      `transit/sign/${place.key}`,
      'auth/kubernetes/login',
      `transit/sign/${place.key}`,
    ])
  })

  test('end with the reason of the signal, and their connection with them', async () => {
    const place = await setup.place({ version: 1 })
    await using service = openVault(place)
    await service.publicKey(noLimit)
    const stop = new AbortController()
    const answered = Promise.withResolvers<StandInAnswer>()
    const arrived = Promise.withResolvers<void>()
    vault.fault = ({ path }) => {
      if (!path.startsWith('transit/sign/')) return undefined
      arrived.resolve()
      return answered.promise
    }
    const work = service.sign(requestsOf(1), stop.signal)
    work.catch(() => undefined)
    await arrived.promise
    stop.abort(noLongerNeeded)
    await expect(work).rejects.toBe(noLongerNeeded)
    answered.resolve({ status: 200, body: {} })
    vault.fault = undefined
    await expect(service.sign(requestsOf(1), noLimit)).resolves.toMatchObject([{ ok: true }])
    await expect(service.sign(requestsOf(1), stop.signal)).rejects.toBe(noLongerNeeded)
  })

  test('do not end with one of those that wait for the same login', async () => {
    const place = await setup.place({ login: await setup.kubernetesLogin(), version: 1 })
    await using service = openVault(place)
    const stop = new AbortController()
    const arrived = Promise.withResolvers<void>()
    const goOn = Promise.withResolvers<void>()
    vault.fault = async ({ path }) => {
      if (path.endsWith('/login')) {
        arrived.resolve()
        await goOn.promise
      }
      return undefined as never
    }
    const stopped = service.sign(requestsOf(1), stop.signal)
    stopped.catch(() => undefined)
    const waiting = service.sign(requestsOf(1), noLimit)
    await arrived.promise
    stop.abort(noLongerNeeded)
    await expect(stopped).rejects.toBe(noLongerNeeded)
    goOn.resolve()
    await expect(waiting).resolves.toMatchObject([{ ok: true }])
  })
})

describe('no error shows', () => {
  test('the token, even when the answer does', async () => {
    const place = await setup.place({ version: 1 })
    let token = ''
    vault.fault = ({ path, headers }) => {
      if (!path.startsWith('transit/sign/')) return undefined
      token = String(headers['x-vault-token'])
      return { status: 500, body: { errors: [`token ${token} met a problem`] } }
    }
    const work = withVault(place, (service) => service.sign(requestsOf(1), noLimit))
    const { problem, text } = await problemIn(work)
    expect(problem).toBe('unreachable')
    expect(token).toMatch(/^hvs\./)
    expect(text).not.toContain(token)
  })

  test('the token of the service account, even when the answer does', async () => {
    const jwt = setup.account.issue()
    const place = await setup.place({ login: await setup.kubernetesLogin(jwt) })
    vault.fault = ({ path, body }) =>
      path.endsWith('/login') ? { status: 400, body: { errors: [String(body['jwt'])] } } : undefined
    const work = withVault(place, (service) => service.publicKey(noLimit))
    const { problem, text } = await problemIn(work)
    expect(problem).toBe('denied')
    expect(text).not.toContain(jwt)
  })

  test('more than a line of what Vault says', async () => {
    vault.fault = whenSigning({ status: 500, body: { errors: ['long '.repeat(1_000)] } })
    const { text } = await problemIn(signTwo())
    expect(text.length).toBeLessThan(5_000)
  })
})

test('a Vault that is not there is unreachable', async () => {
  const place = await setup.place({ address: 'https://localhost:1' })
  const work = withVault(place, (service) => service.publicKey(noLimit))
  await expect(problemIn(work)).resolves.toMatchObject({
    problem: 'unreachable',
    text: expect.stringContaining('Vault at https://localhost:1 refuses connections'),
  })
})
