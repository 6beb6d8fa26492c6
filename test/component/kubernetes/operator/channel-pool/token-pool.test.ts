import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { channelSecretOf } from '../../../../../src/kubernetes/operator/references/sponsor-source.ts'
import { channelSigner } from '../../../../../src/payments/channels/derive.ts'
import { secretOfSeed } from '../../../../../src/stellar/accounts/signer.ts'
import { addressOf } from '../../../../../src/stellar/accounts/strkey.ts'
import { rpcClient } from '../../../../../src/stellar/rpc/rpc-client.ts'
import { noSoftHsm } from '../../../../support/softhsm/no-softhsm.ts'
import { type SoftHsmToken, startToken } from '../../../../support/softhsm/start-token.ts'
import { openReconciledPools, type ReconciledPools } from './reconciled-pools.ts'

/* In order: a pool moves from a seed to a token, loses the token, and moves back. */

const missing = await noSoftHsm()
const network = 'stellar:testnet'

describe('a pool whose sponsor signs in a token', { timeout: 240_000 }, () => {
  let token: SoftHsmToken
  let world: ReconciledPools
  let operator: ReturnType<ReconciledPools['operator']>
  let address: string
  const channelSecret = secretOfSeed(randomBytes(32))

  beforeAll(async () => {
    if (missing !== undefined) return
    token = await startToken()
    for (const [name, value] of Object.entries(token.environment)) vi.stubEnv(name, value)
    address = addressOf(token.publicKey)
    world = await openReconciledPools()
    await world.localnet.pay({ address, asset: 'XLM', amount: 200n * 10_000_000n })
    await world.sponsor('sponsor')
    await world.database('database')
    world.secrets.set('hsm', { pin: token.pin })
    const ref = channelSecretOf({ metadata: { name: 'testnet' } }, { address })
    world.secrets.set(ref?.name ?? '', { [ref?.key ?? '']: channelSecret })
    operator = world.operator()
  }, 240_000)
  beforeEach(({ skip }) => {
    if (missing !== undefined) skip(missing)
  })
  afterAll(async () => {
    await operator?.[Symbol.asyncDispose]()
    await world?.[Symbol.asyncDispose]()
    await token?.[Symbol.asyncDispose]()
    vi.unstubAllEnvs()
  })

  const inToken = () => {
    const { modulePath, token: label, key } = token.place
    const pinSecretRef = { name: 'hsm', key: 'pin' }
    return { sponsor: { address, pkcs11: { modulePath, token: label, key, pinSecretRef } } }
  }
  const accounts = (addresses: readonly string[]) =>
    rpcClient({ url: world.localnet.httpUrl, allowHttp: true }).accounts(addresses)
  const phase = () => operator.pools.get('testnet')?.status?.rotation?.phase
  /** Passes until the pool has moved. */
  const untilMoved = async () => {
    for (let pass = 0; pass < 200; pass += 1) {
      await operator.pass()
      if (phase() === 'Done') return operator.settle()
    }
    throw new Error(JSON.stringify(operator.pools.get('testnet')?.status))
  }

  test('moves there from a seed: the token creates its channels, and gets what the old sponsor had', async () => {
    operator.put()
    await operator.settle()
    expect(operator.says('SignerReachable')).toMatch(/^True Seed: /)
    operator.put(inToken())
    const pool = await untilMoved()
    expect(pool.status?.sponsor?.address).toBe(address)
    expect(operator.says('SignerReachable')).toMatch(/^True Reachable: /)
    expect(operator.says('SignerKeyMatches')).toBe(
      `True KeyMatches: Its key is that of ${address}.`,
    )
    const channels = [0, 1].map((index) => channelSigner(channelSecret, network, index).address)
    const found = await accounts([address, ...channels])
    expect(found.size).toBe(3)
    expect(found.get(address)?.balance).toBeGreaterThan(390n * 10_000_000n)
  })

  test('says so when the token is gone, and goes on when it is back', async () => {
    await token.remove()
    operator.put({ ...inToken(), channels: 3 })
    await expect
      .poll(
        async () => {
          await operator.pass().catch(() => undefined)
          return operator.says('SignerReachable')
        },
        { timeout: 60_000 },
      )
      .toMatch(/^False SignerUnreachable: /)
    await token.putBack()
    await expect
      .poll(
        async () => {
          await operator.pass().catch(() => undefined)
          return operator.says('SignerReachable')
        },
        { timeout: 60_000 },
      )
      .toMatch(/^True Reachable: /)
    const pool = await operator.settle()
    expect(pool.status?.channels?.ready).toBe(3)
  })

  test('moves back to a seed', async () => {
    const seedAddress = await world.sponsor('next')
    operator.put({ sponsor: { secretRef: { name: 'next', key: 'seed' } }, channels: 3 })
    const pool = await untilMoved()
    expect(pool.status?.sponsor?.address).toBe(seedAddress)
    expect((await accounts([address])).size).toBe(0)
  })
})
