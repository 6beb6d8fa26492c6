import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { passphrases } from '../../../src/platform/core/caip2.ts'
import type { SdkSession } from './sdk/sdk.ts'
import { sdk14 } from './sdk/sdk-14.ts'
import { sdk17 } from './sdk/sdk-17.ts'
import { createWorld, USDC_CONTRACT, type World } from './test-network.ts'

const ISSUER = 'GBBD47IF6LWK7P7MDEVSCWR7DPUWV3NY3DTQEVFL4NAT4AQH3ZLLFLA5'

describe.each([sdk17, sdk14])('the RPC, to $name', (sdk) => {
  let world: World
  let session: SdkSession
  beforeAll(async () => {
    world = await createWorld()
    session = sdk.open(world.server.httpUrl, world.server.network.passphrase)
  })
  afterAll(() => world[Symbol.asyncDispose]())

  const pay = (upgradedAuth: boolean, amount = 1n) => {
    const { server, source, payer, payee } = world
    const parties = { source: source.secret(), payer: payer.secret(), payTo: payee.publicKey() }
    const asked = { ...parties, contract: USDC_CONTRACT, amount, upgradedAuth }
    return session.transfer(asked, server.closeLedger)
  }

  it('returns health, network, versions and fees', async () => {
    const { network, httpUrl } = world.server
    expect(await session.health()).toMatchObject({
      status: 'healthy',
      latestLedger: network.latest.sequence,
      oldestLedger: network.oldest.sequence,
    })
    expect(await session.network()).toMatchObject({
      passphrase: passphrases['stellar:testnet'],
      friendbotUrl: `${httpUrl}/friendbot`,
    })
    expect(await session.versionInfo()).toMatchObject({ protocolVersion: network.host.protocol })
    const { sorobanInclusionFee } = await session.feeStats()
    expect(sorobanInclusionFee.p90).toMatch(/^\d+$/)
  })

  it('returns the latest ledger and earlier ones', async () => {
    const { latest, oldest } = world.server.network
    expect(await session.latestLedger()).toMatchObject({ sequence: latest.sequence })
    const sequences = await session.ledgers(oldest.sequence)
    expect(sequences.at(0)).toBe(oldest.sequence)
    expect(sequences.at(-1)).toBe(latest.sequence)
  })

  it('does not find an unknown transaction', async () => {
    const { status, latestLedger } = await session.missing('ab'.repeat(32))
    expect(status).toBe('NOT_FOUND')
    expect(latestLedger).toBe(world.server.network.latest.sequence)
  })

  it('returns accounts and trustlines of the ledger', async () => {
    const payer = world.payer.publicKey()
    const before = await session.trustline(payer, 'USDC', ISSUER)
    await pay(false, 2_0000000n)
    const after = await session.trustline(payer, 'USDC', ISSUER)
    expect(before.balance - after.balance).toBe(2_0000000n)
    expect((await session.account(payer)).balance).toBeGreaterThan(0n)
    await expect(session.trustline(payer, 'EURC', ISSUER)).rejects.toThrow('EURC')
  })

  it('records, prepares, sends and confirms a transfer that another account authorized', async () => {
    const paid = await pay(false, 1_0000000n)
    expect(paid).toMatchObject({ sent: 'PENDING', repeated: 'DUPLICATE', contractEvents: 1 })
    expect(paid).toMatchObject({ order: 1, credentials: ['sorobanCredentialsAddress'] })
    expect(paid.feeEvents).toBeGreaterThan(0)
    expect(paid.returned ?? null).toBeNull()
  })

  it('pages through events until there are no more', async () => {
    const { network } = world.server
    const startLedger = network.latest.sequence + 1
    for (let count = 0; count < 3; count++) await pay(false)
    const topics = [[session.topic('transfer'), '**']]
    const asked = { startLedger, contract: USDC_CONTRACT, topics, limit: 2 }
    const pages = await session.events(asked)
    expect(pages.map((page) => page.length)).toEqual([2, 1])
    expect(new Set(pages.flat()).size).toBe(3)
    expect(await session.events({ ...asked, topics: [[session.topic('mint'), '**']] })).toEqual([])
  })

  it('pages through transactions', async () => {
    const startLedger = world.server.network.latest.sequence + 1
    const sent = [await pay(false), await pay(false), await pay(false)].map(({ hash }) => hash)
    expect(await session.transactions(startLedger, 2)).toEqual(sent)
  })
})

describe('the RPC, to an SDK of protocol 27 or later', () => {
  it('records and accepts ADDRESS_V2 credentials (CAP-71)', async () => {
    await using world = await createWorld()
    const { server, source, payer, payee } = world
    const session = sdk17.open(server.httpUrl, server.network.passphrase)
    const parties = { source: source.secret(), payer: payer.secret(), payTo: payee.publicKey() }
    const asked = { ...parties, contract: USDC_CONTRACT, amount: 5n, upgradedAuth: true }
    const paid = await session.transfer(asked, server.closeLedger)
    expect(paid.credentials).toEqual(['sorobanCredentialsAddressV2'])
    expect(paid.contractEvents).toBe(1)
  })
})
