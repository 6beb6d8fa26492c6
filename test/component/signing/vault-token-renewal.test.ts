import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { waitBeforeRenewal } from '../../../src/signing/vault/keep-valid.ts'
import { openVault } from '../../../src/signing/vault/open-vault.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { startVaultStandIn, type VaultStandIn } from '../../support/vault/vault-stand-in.ts'
import { noLimit, requestsOf, VaultSetup } from './vault-setup.ts'

const HOUR_MS = 3_600_000
/** When a token of an hour is renewed. The clock goes no further: ten seconds later the renewal would be late. */
const TWO_THIRDS_MS = (HOUR_MS * 2) / 3
const renewal = 'auth/token/renew-self'
const login = 'auth/kubernetes/login'

let vault: VaultStandIn
let setup: VaultSetup

beforeAll(async () => {
  vault = await startVaultStandIn()
  setup = await VaultSetup.open(vault)
})
afterEach(() => {
  vault.fault = undefined
  vault.tokens.lease = { seconds: 3_600, renewable: true }
})
afterAll(() => setup?.[Symbol.asyncDispose]())

/** A service that has logged in, the requests about its token, and a wait for the next sleep of what keeps it valid. */
async function loggedIn(place = { kubernetes: true }) {
  const clock = new FakeClock()
  const service = openVault(
    await setup.place({
      version: 1,
      ...(place.kubernetes && { login: await setup.kubernetesLogin() }),
    }),
    { clock },
  )
  const from = vault.requests.length
  await service.sign(requestsOf(1), noLimit)
  const sent = () =>
    vault.requests
      .slice(from)
      .map(({ path }) => path)
      .filter((path) => path.startsWith('auth/'))
  /** Until so many requests have been answered, and the next wait has begun. */
  const settled = (paths: readonly string[]) =>
    expect.poll(() => [sent(), clock.sleeping]).toEqual([paths, 1])
  return { clock, service, sent, settled }
}

test('a token is renewed after two thirds of each lease', async () => {
  const { clock, service, settled } = await loggedIn()
  await using _ = service
  await settled([login])
  await clock.advance(TWO_THIRDS_MS - 1)
  await settled([login])
  await clock.advance(1)
  await settled([login, renewal])
  await clock.advance(TWO_THIRDS_MS)
  await settled([login, renewal, renewal])
})

test('a token that cannot be renewed is replaced by a new login after two thirds of its lease', async () => {
  vault.tokens.lease = { seconds: 3_600, renewable: false }
  const { clock, service, settled } = await loggedIn()
  await using _ = service
  await clock.advance(TWO_THIRDS_MS)
  await settled([login, login])
  await clock.advance(TWO_THIRDS_MS)
  await settled([login, login, login])
})

test('a token whose renewals get short is replaced by a new login', async () => {
  const { clock, service, settled } = await loggedIn()
  await using _ = service
  vault.tokens.lease = { seconds: 600, renewable: true }
  await clock.advance(TWO_THIRDS_MS)
  await settled([login, renewal])
  await clock.advance(400_000)
  await settled([login, renewal, login])
})

test('a renewal that fails is tried again before the lease ends; one that is denied, with a login', async () => {
  const { clock, service, settled } = await loggedIn()
  await using _ = service
  vault.fault = ({ path }) => (path === renewal ? { status: 500 } : undefined)
  await clock.advance(TWO_THIRDS_MS)
  await settled([login, renewal])
  vault.fault = ({ path }) => (path === renewal ? { status: 403 } : undefined)
  await clock.advance(TWO_THIRDS_MS / 3)
  await settled([login, renewal, renewal])
  await clock.advance(TWO_THIRDS_MS / 9)
  await settled([login, renewal, renewal, login])
})

test('after a lease that could not be renewed, the next call logs in', async () => {
  const { clock, service, sent, settled } = await loggedIn()
  await using _ = service
  vault.fault = ({ path }) => (path === renewal ? { status: 503 } : undefined)
  for (let leftMs = HOUR_MS; leftMs > 0; ) {
    const before = sent()
    const waitMs = waitBeforeRenewal(leftMs)
    leftMs -= waitMs
    await clock.advance(waitMs)
    await expect.poll(() => sent().length).toBe(before.length + 1)
    await expect.poll(() => clock.sleeping).toBe(leftMs > 0 ? 1 : 0)
  }
  const renewals = sent()
  await service.sign(requestsOf(1), noLimit)
  await settled([...renewals, login])
})

test('the token of a file is renewed alike, and nothing is left when it can be renewed no longer', async () => {
  const { clock, service, sent, settled } = await loggedIn({ kubernetes: false })
  await using _ = service
  await settled([renewal])
  vault.tokens.lease = { seconds: 3_600, renewable: false }
  await clock.advance(TWO_THIRDS_MS)
  await expect.poll(() => [sent(), clock.sleeping]).toEqual([[renewal, renewal], 0])
  await expect(service.sign(requestsOf(1), noLimit)).resolves.toMatchObject([{ ok: true }])
})

test('a token without an end is not renewed', async () => {
  vault.tokens.lease = { seconds: 0, renewable: false }
  const { clock, service } = await loggedIn()
  await using _ = service
  expect(clock.sleeping).toBe(0)
})

test('disposal ends the waits', async () => {
  const { clock, service, sent } = await loggedIn()
  await service[Symbol.asyncDispose]()
  expect(clock.sleeping).toBe(0)
  await expect(service.publicKey(noLimit)).rejects.toThrow()
  expect(sent()).toEqual([login])
})
