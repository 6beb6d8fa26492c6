import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { uptoContract } from '../../../../src/localnet/genesis/upto-contract.ts'
import { provisionChannels } from '../../../../src/payments/channels/create/provision.ts'
import { authoritySigner } from '../../../../src/payments/channels/derive.ts'
import { retireChannels } from '../../../../src/payments/channels/retire/retire.ts'
import { keysOfSeed } from '../../../../src/payments/channels/sponsor-keys.ts'
import { asStroops } from '../../../../src/platform/core/amounts/stroops.ts'
import { passphrases } from '../../../../src/platform/core/caip2.ts'
import { systemClock } from '../../../../src/platform/core/time/clock.ts'
import { createLogger } from '../../../../src/platform/telemetry/logs/logger.ts'
import { defaultAssets } from '../../../../src/settings/sections/assets.ts'
import { secretOfSeed, signerFromSeed } from '../../../../src/stellar/accounts/signer.ts'
import { contractInstanceKey } from '../../../../src/stellar/contracts/contract-ttl.ts'
import { rpcClient } from '../../../../src/stellar/rpc/rpc-client.ts'
import { Deployer } from '../../../support/contracts.ts'
import { archive } from '../../../support/ledger-surgery.ts'
import { startRpcProxy } from '../../../support/rpc-proxy.ts'
import { type Stack, startStack, unit } from '../../../support/stack.ts'
import { networkOf, polled, testnet, timings, untilPolled } from './health-world.ts'

const contract = uptoContract(passphrases[testnet])
const seed = crypto.getRandomValues(new Uint8Array(32))
const sponsorSecret = secretOfSeed(seed)
const authority = authoritySigner(sponsorSecret, testnet).address
const fine = { state: 'healthy', codes: [], messages: [] }

const opened = new AsyncDisposableStack()
let stack: Stack
let deployer: Deployer
let token: string
let proxy: Awaited<ReturnType<typeof startRpcProxy>>
beforeAll(async () => {
  proxy = opened.use(await startRpcProxy())
  stack = opened.use(
    await startStack({
      closeEveryMs: 'on-send',
      timings,
      rpcThrough: proxy.forwardTo,
      network: async (localnet) => {
        deployer = new Deployer(localnet)
        token = await deployer.trickToken('honest')
        const { address } = signerFromSeed(seed)
        await localnet.pay({ address, asset: 'XLM', amount: 1_000n * unit })
        return {
          sponsorSecret,
          channelCount: 2,
          assets: [...defaultAssets(testnet), { contract: token, symbol: 'GIFT', decimals: 7 }],
          upto: {
            contract,
            keeper: { enabled: true, autoRestore: false, floorLedgers: 1, targetLedgers: 2 },
          },
        }
      },
    }),
  )
  await untilPolled(stack)
  await leaveNothingToKeepers()
})
afterAll(() => opened.disposeAsync())

/** Takes the lease on the contract as another replica, so that its row in the store is what the test writes. */
const leaveNothingToKeepers = () =>
  sql`insert into upto_keepers (network, contract, holder, term, lease_expires_at)
    values (${testnet}, ${contract}, 'another replica', 1000, clock_timestamp() + interval '1 day')
    on conflict (network, contract) do update set holder = excluded.holder,
      term = upto_keepers.term + 1000, lease_expires_at = excluded.lease_expires_at,
      error = null, plan = null, checked_at = null`.execute(stack.store.db)

/** What a keeper of another replica writes after a round. */
const keeperFinds = (plan: string | null, error: string | null) =>
  stack.store.db
    .updateTable('upto_keepers')
    .set({ checked_at: new Date('2026-09-21T14:13:20.000Z'), plan, error })
    .where('contract', '=', contract)
    .execute()

const options = () =>
  ({
    network: testnet,
    passphrase: passphrases[testnet],
    keys: keysOfSeed(sponsorSecret),
    count: 2,
    servesUpto: true,
    inclusionFee: asStroops(100n),
    keepSpendable: asStroops(0n),
    rpc: rpcClient({ url: stack.localnet.httpUrl, allowHttp: true }),
    store: stack.store,
    besideService: true,
    clock: systemClock,
    log: createLogger({ level: 'silent' }),
    signal: AbortSignal.timeout(200_000),
    onProgress: () => undefined,
  }) as const

/** The warnings after a poll, without that of the token, whose contract is new. */
async function warned() {
  const { warnings, state } = await polled(stack)
  const others = warnings.filter(({ contract: alias }) => alias !== 'GIFT')
  return {
    state,
    codes: others.map(({ code }) => code),
    messages: others.map(({ message }) => message),
  }
}

const uptoOf = async () => (await networkOf(stack)).upto

test('an authority that exists and has nothing is reported whole, with the contract under its alias', async () => {
  expect(await warned()).toEqual(fine)
  const { upto, contracts } = await networkOf(stack)
  expect(upto).toEqual({
    contract,
    authority: {
      address: authority,
      present: true,
      balanceStroops: '0',
      spendableStroops: '0',
      tokens: [],
    },
    keeper: {
      enabled: true,
      autoRestore: false,
      checkedAt: null,
      plan: null,
      lastAction: null,
      error: null,
    },
  })
  expect(contracts['upto']).toMatchObject({ id: contract })
  expect(contracts['upto']?.codeTtlLedgers).toBeGreaterThan(0)
})

test('upto_authority_funded and _missing: XLM that was sent to it comes back with svc retire', async () => {
  await stack.localnet.pay({ address: authority, asset: 'XLM', amount: 1n })
  expect(await warned()).toMatchObject({
    state: 'healthy',
    codes: ['upto_authority_funded'],
    messages: [expect.stringContaining(`${authority} can spend 0.0000001 XLM`)],
  })
  expect(await uptoOf()).toMatchObject({ authority: { spendableStroops: '1' } })

  expect(await retireChannels(options())).toBe(3)
  expect(await warned()).toMatchObject({
    state: 'degraded',
    codes: ['upto_authority_missing'],
    messages: [expect.stringContaining('svc provision')],
  })
  expect(await uptoOf()).toMatchObject({
    authority: { present: false, balanceStroops: null, spendableStroops: null },
  })

  await provisionChannels(options())
  expect(await warned()).toEqual(fine)
  expect((await stack.get('/ready')).status).toBe(200)
})

test('upto_authority_holds_tokens: raised by an accepted token, cleared when it is gone', async () => {
  await deployer.mint(token, authority, 7n)
  expect(await warned()).toMatchObject({
    state: 'healthy',
    codes: ['upto_authority_holds_tokens'],
    messages: [expect.stringContaining('7 base units of GIFT')],
  })
  expect(await uptoOf()).toMatchObject({
    authority: { tokens: [{ symbol: 'GIFT', contract: token, balance: '7' }] },
  })
  await deployer.mint(token, authority, -7n)
  expect(await warned()).toEqual(fine)
})

test('upto_contract_restore_required: raised while the contract is archived; the service stays ready', async () => {
  const { network } = stack.localnet
  const key = Buffer.from(contractInstanceKey(contract), 'base64')
  const liveUntil = network.entry(key)?.liveUntil
  archive(network, key)
  const { state, codes } = await warned()
  expect([state, ...codes]).toEqual([
    'degraded',
    'contract_archived',
    'upto_contract_restore_required',
  ])
  expect((await stack.get('/ready')).status).toBe(200)
  Object.assign(network.entry(key) ?? {}, { liveUntil })
  expect(await warned()).toEqual(fine)
})

test('upto_ttl_keeper_failed: raised by the error of any replica, cleared by a round without', async () => {
  await keeperFinds('extend the code', 'the hourly budget is spent')
  expect(await warned()).toMatchObject({
    state: 'healthy',
    codes: ['upto_ttl_keeper_failed'],
    messages: [expect.stringContaining('the hourly budget is spent')],
  })
  expect(await uptoOf()).toMatchObject({
    keeper: { checkedAt: '2026-09-21T14:13:20.000Z', plan: 'extend the code' },
  })
  await keeperFinds(null, null)
  expect(await warned()).toEqual(fine)
})

test('what cannot be read is null, hides nothing else, and raises none of these warnings', async () => {
  await uptoOf()
  proxy.fail('simulateTransaction', { kind: 'hang' })
  expect((await uptoOf())?.authority).toMatchObject({ present: true, tokens: null })
  proxy.heal()
  proxy.fail('getLedgerEntries', { kind: 'hang up' })
  const { codes } = await warned()
  expect(codes.filter((code) => code.startsWith('upto'))).toEqual([])
  expect((await uptoOf())?.authority).toMatchObject({ present: null, balanceStroops: null })
  proxy.heal()
  await expect
    .poll(async () => (await uptoOf())?.authority.present, { timeout: 120_000 })
    .toBe(true)
})
