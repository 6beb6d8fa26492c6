import {
  Account,
  Asset,
  BASE_FEE,
  type FeeBumpTransaction,
  Keypair,
  Operation,
  type Transaction,
  TransactionBuilder,
} from '@stellar/stellar-sdk'
import { describe, expect } from 'vitest'
import { unlockedBalance } from '../../../../../../src/payments/channels/minimum-balance.ts'
import {
  decimalXlm,
  stroopsFromLumens,
} from '../../../../../../src/platform/core/amounts/stroops.ts'
import { transactionsAfter } from '../../../../../support/ledger-view.ts'
import { startRpcProxy } from '../../../../../support/rpc-proxy.ts'
import { test } from '../../../../support/cluster-test.ts'
import { isReady, openPoolWorld, type PoolWorld } from '../pool-world.ts'
import {
  addSponsor,
  firstSponsor,
  fund,
  hasEnded,
  inPhase,
  nameSponsor,
  onLedgerOf,
  rotationEvents,
  rotationPatience,
  stroopsOf,
  type TestSponsor,
} from './rotation-world.ts'

const late = [undefined, rotationPatience] as const
const timings = { TRANSACTION_VALIDITY_SECONDS: '4' }

const parsed = (world: PoolWorld, envelope: string): Transaction | FeeBumpTransaction =>
  TransactionBuilder.fromXDR(envelope, world.localnet.network.passphrase)

/** What the ledgers since then charged the account for transactions. */
async function feesOf(world: PoolWorld, address: string, since: number): Promise<bigint> {
  const { network } = world.localnet
  const charged = await Promise.all(
    transactionsAfter(network, since).map(async ({ hash, envelopeXdr }) => {
      const transaction = parsed(world, Buffer.from(envelopeXdr).toString('base64'))
      const payer = 'feeSource' in transaction ? transaction.feeSource : transaction.source
      const status = payer === address ? await world.rpc.transaction(hash) : undefined
      return status && status.status !== 'NOT_FOUND' ? status.feeCharged : 0n
    }),
  )
  return charged.reduce<bigint>((sum, fee) => sum + fee, 0n)
}

const balanceOf = async ({ rpc }: PoolWorld, { address }: TestSponsor): Promise<bigint> =>
  (await rpc.accounts([address])).get(address)?.balance ?? 0n

/** Whoever has the seed sends everything that the ledger lets it send. Returns the amount; the fee is the least one. */
async function takeAll(
  world: PoolWorld,
  { address, secret }: TestSponsor,
  thief: TestSponsor,
): Promise<bigint> {
  const account = (await world.rpc.accounts([address])).get(address)
  if (!account) throw new Error(`${address} does not exist`)
  const amount = unlockedBalance(account) - BigInt(BASE_FEE)
  const { network } = world.localnet
  const transaction = new TransactionBuilder(new Account(address, String(account.sequence)), {
    fee: BASE_FEE,
    networkPassphrase: network.passphrase,
  })
    .addOperation(
      Operation.payment({
        destination: thief.address,
        asset: Asset.native(),
        amount: decimalXlm(amount),
      }),
    )
    // The ledger's time runs ahead of this machine's while ledgers close fast.
    .setTimeout(0)
    .build()
  transaction.sign(Keypair.fromSecret(secret))
  const before = await balanceOf(world, thief)
  const { status } = await world.rpc.send(transaction.toEnvelope().toXdr('base64'))
  expect(status).toBe('PENDING')
  await world.until(async () => expect(await balanceOf(world, thief)).toBe(before + amount))
  return amount
}

describe('what the status says of the funds', () => {
  test('is true to the stroop although the operator dies between the transaction and the status', {
    timeout: 400_000,
  }, async ({ cluster }) => {
    await using world = await openPoolWorld(cluster)
    await using proxy = await startRpcProxy()
    await using operators = new AsyncDisposableStack()
    const first = operators.use(world.operate(timings))
    const old = firstSponsor(world)
    const next = await addSponsor(world, 'next-sponsor', 100n)
    await world.apply({ channels: 2, rpc: { urls: [proxy.forwardTo(world.localnet.httpUrl)] } })
    await world.until(isReady, ...late)
    const stroops = await stroopsOf(world, [old, next])
    const since = world.localnet.network.latest.sequence
    const before = await balanceOf(world, next)
    // The endpoint has the last transaction; the operator never learns that.
    const change = <T>(result: T): T => {
      if (mergesSponsor(world, proxy.envelopes, old)) first.kill('SIGKILL')
      return result
    }
    proxy.fail('sendTransaction', { kind: 'rewrite', change })
    await nameSponsor(world, next.name)
    await first.exited
    proxy.heal()
    const left = await world.until(
      async (pool) => {
        inPhase('Sweeping')(pool)
        expect(await balanceOf(world, old)).toBe(0n)
      },
      ...late,
    )
    expect(left.status?.rotation?.sweptXlm).toBeUndefined()

    operators.use(world.operate(timings))
    const done = await world.until(hasEnded('Done'), ...late)
    const { sweptXlm = '0', account } = done.status?.rotation ?? {}
    const reached =
      (await balanceOf(world, next)) - before + (await feesOf(world, next.address, since))
    expect(stroopsFromLumens(sweptXlm)).toBe(reached)
    expect(account).toMatchObject({ sweptXlm, takenXlm: '0', receivedXlm: '0', balanceXlm: '0' })
    expect(await stroopsOf(world, [old, next])).toBe(stroops)
  })

  test('is plain about a thief who was faster, and what the ledger still locked is saved at the cost of the new sponsor', {
    timeout: 400_000,
  }, async ({ cluster }) => {
    await using world = await openPoolWorld(cluster)
    await using proxy = await startRpcProxy()
    await using _operator = world.operate()
    const old = firstSponsor(world)
    const next = await addSponsor(world, 'next-sponsor', 100n)
    const thief = await addSponsor(world, 'thief', 1n)
    await world.apply({ channels: 2, rpc: { urls: [proxy.forwardTo(world.localnet.httpUrl)] } })
    await world.until(isReady, ...late)
    const stroops = await stroopsOf(world, [old, next, thief])

    // The operator signs nothing meanwhile, and leases no channel for it.
    proxy.fail('getLatestLedger', { kind: 'hang up' })
    await nameSponsor(world, next.name, { rotation: { mode: 'Emergency' } })
    await world.until(inPhase('Rescuing'), ...late)
    const since = world.localnet.network.latest.sequence
    // Later than the begin: this is no theft.
    await fund(world, old.address, 7n)
    const taken = await takeAll(world, old, thief)
    proxy.heal()
    const done = await world.until(hasEnded('Done'), ...late)

    const { rotation } = done.status ?? {}
    expect(rotation?.account).toMatchObject({
      receivedXlm: '7',
      takenXlm: decimalXlm(taken),
      feesXlm: decimalXlm(BigInt(BASE_FEE)),
      // Two channels, the authority, the mark and the account itself.
      sweptXlm: '4.5',
      balanceXlm: '0',
    })
    expect(rotation).toMatchObject({
      sweptXlm: '4.5',
      lostXlm: decimalXlm(taken + BigInt(BASE_FEE)),
      message: expect.stringContaining(`others took ${decimalXlm(taken)} XLM, the rest was fees`),
    })
    expect(await rotationEvents(world, 'FundsTaken')).toEqual([
      expect.stringContaining(`${decimalXlm(taken)} XLM of the old sponsor ${old.address}`),
    ])
    // Nobody has sent it XLM for its fees.
    expect(await feesOf(world, old.address, since)).toBe(BigInt(BASE_FEE))
    expect(await onLedgerOf(world, old)).toEqual({ channels: [], authority: false })
    expect(await onLedgerOf(world, next)).toMatchObject({ channels: [0, 1], authority: true })
    expect(await stroopsOf(world, [old, next, thief])).toBe(stroops + 7n * 10_000_000n + 100n)
  })
})

/** Whether the last of these envelopes ends the account of the sponsor. */
function mergesSponsor(
  world: PoolWorld,
  envelopes: readonly string[],
  { address }: TestSponsor,
): boolean {
  const transaction = parsed(world, envelopes.at(-1) ?? '')
  const inner = 'innerTransaction' in transaction ? transaction.innerTransaction : transaction
  return inner.operations.some(
    ({ type, source = inner.source }) => type === 'accountMerge' && source === address,
  )
}
