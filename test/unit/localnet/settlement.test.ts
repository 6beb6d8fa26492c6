/** A payment as a facilitator settles it: a transaction of a channel in a fee bump of the sponsor. */
import { Operation, TransactionBuilder, xdr } from '@stellar/stellar-sdk'
import { beforeEach, describe, expect, it } from 'vitest'
import { usdc } from '../../../src/localnet/genesis-assets.ts'
import { TOTAL_COINS } from '../../../src/localnet/ledger/header.ts'
import type { Localnet } from '../../../src/localnet/network.ts'
import {
  account,
  apply,
  balance,
  build,
  codes,
  feeCharged,
  fund,
  key,
  lumensHeld,
  openNetwork,
  passphrase,
  trustline,
} from './harness.ts'
import { transferCall } from './soroban-harness.ts'
import { rawFeeBump, rawTx } from './table/raw-envelopes.ts'

const [sponsor, channel, payer, seller] = [key(1), key(2), key(3), key(4)]
const UNIT = 10_000_000n
const bump = (inner: ReturnType<typeof build>, fee: string) => {
  const bumped = TransactionBuilder.buildFeeBumpTransaction(sponsor, fee, inner, passphrase)
  bumped.sign(sponsor)
  return bumped
}

/** A channel without balance, whose reserve the sponsor holds. */
async function openChannel(net: Localnet): Promise<void> {
  const operations = [
    Operation.beginSponsoringFutureReserves({ sponsoredId: channel.publicKey() }),
    Operation.createAccount({ destination: channel.publicKey(), startingBalance: '0' }),
    Operation.endSponsoringFutureReserves({ source: channel.publicKey() }),
  ]
  const opening = build(net, {
    source: sponsor,
    operations,
    signers: [sponsor, channel],
    fee: '300',
  })
  expect(codes((await apply(net, opening)).resultXdr)[0]).toBe('txSuccess')
}

const hex = (transaction: { hash(): Uint8Array }): string =>
  Buffer.from(transaction.hash()).toString('hex')

let net: Localnet

beforeEach(async () => {
  net = openNetwork().net
  await fund(net, [sponsor, payer, seller])
  const gifts = [payer, seller].map((it) =>
    net.faucet({ address: it.publicKey(), asset: 'USDC', amount: 100n * UNIT }),
  )
  await net.closeLedger()
  await Promise.all(gifts)
  await openChannel(net)
})

async function settle(amount: bigint) {
  const { operation, data } = await transferCall(net, {
    from: payer.publicKey(),
    to: seller.publicKey(),
    amount,
    payer,
    source: channel,
  })
  const inner = build(net, {
    source: channel,
    operations: [operation],
    fee: '100',
    sorobanData: data,
  })
  return { inner, data, bumped: bump(inner, '1000') }
}

describe('a settlement', () => {
  it('moves the payment, and costs the sponsor the fee of the result', async () => {
    const { bumped } = await settle(5n * UNIT)
    const before = balance(net, sponsor)
    const applied = await apply(net, bumped)

    expect(codes(applied.resultXdr)).toEqual([
      'txFeeBumpInnerSuccess',
      'txSuccess',
      'invokeHostFunctionSuccess',
    ])
    expect(trustline(net, payer, usdc)?.balance).toBe(95n * UNIT)
    expect(trustline(net, seller, usdc)?.balance).toBe(105n * UNIT)
    expect(balance(net, channel)).toBe(0n)
    expect(before - balance(net, sponsor)).toBe(feeCharged(applied.resultXdr))
  })

  it('may bid nothing in its inner transaction', async () => {
    const { operation, data } = await transferCall(net, {
      from: payer.publicKey(),
      to: seller.publicKey(),
      amount: 5n * UNIT,
      payer,
      source: channel,
    })
    const ext = xdr.TransactionExt.sorobanData(data)
    const inner = rawTx({ operations: [operation], source: channel, bid: 0, ext }).build(net)
    const bid = 1_000n + data.resourceFee
    const before = balance(net, sponsor)
    const applied = await apply(net, rawFeeBump(net, inner, { payer: sponsor, bid }))

    expect(codes(applied.resultXdr).at(-1)).toBe('invokeHostFunctionSuccess')
    expect(before - balance(net, sponsor)).toBe(feeCharged(applied.resultXdr))
    expect(trustline(net, seller, usdc)?.balance).toBe(105n * UNIT)
  })

  it('costs the inclusion fee and the used resources', async () => {
    const { bumped, data } = await settle(5n * UNIT)
    const applied = await apply(net, bumped)
    const meta = metaOf(applied.resultMetaXdr)
    const ext = meta.sorobanMeta?.ext
    if (ext?.type !== 'v1') throw new Error('the meta has no fees')
    const { totalNonRefundableResourceFeeCharged, totalRefundableResourceFeeCharged } = ext.v1
    const inclusion = 200n

    expect(feeCharged(applied.resultXdr)).toBe(
      inclusion + totalNonRefundableResourceFeeCharged + totalRefundableResourceFeeCharged,
    )
    expect(totalNonRefundableResourceFeeCharged + totalRefundableResourceFeeCharged).toBeLessThan(
      data.resourceFee,
    )
  })

  // The fees of two real payments of x402, which localnet charged to the stroop when it replayed them. Theirs
  // are other envelopes: a stroop is seven bytes, or 1,430 instructions.
  it.each([23_073n, 23_086n])('costs about what a real payment did: %s stroops', async (real) => {
    await apply(net, (await settle(5n * UNIT)).bumped)
    const { resultXdr } = await apply(net, (await settle(5n * UNIT)).bumped)
    const difference = Number(feeCharged(resultXdr) - real)
    expect(Math.abs(difference)).toBeLessThan(50)
  })

  it('has a fee event and, after all transactions, a refund event', async () => {
    const { bumped, data } = await settle(5n * UNIT)
    const applied = await apply(net, bumped)
    const events = applied.transactionEvents.map((it) => xdr.TransactionEvent.fromXdr(it))
    const amounts = events.map(({ event }) => amountOf(event.body.value.data))

    expect(events.map(({ stage }) => stage.name)).toEqual([
      'transactionEventStageBeforeAllTxs',
      'transactionEventStageAfterAllTxs',
    ])
    expect(amounts[0]).toBe(200n + data.resourceFee)
    expect((amounts[0] ?? 0n) + (amounts[1] ?? 0n)).toBe(feeCharged(applied.resultXdr))
  })

  it('is found by its own hash and by that of the inner transaction', async () => {
    const { bumped, inner } = await settle(5n * UNIT)
    const applied = await apply(net, bumped)

    expect(net.transaction(hex(inner))).toBe(applied)
    expect(applied).toMatchObject({
      feeBump: true,
      hash: hex(bumped),
      innerHash: hex(inner),
      applicationOrder: 1,
    })
  })

  it('that the payer cannot cover costs the fee, uses the sequence number and moves nothing', async () => {
    const { bumped, inner } = await settle(60n * UNIT)
    const emptied = await transferCall(net, {
      from: payer.publicKey(),
      to: seller.publicKey(),
      amount: 50n * UNIT,
      source: payer,
    })
    await apply(
      net,
      build(net, { source: payer, operations: [emptied.operation], sorobanData: emptied.data }),
    )
    const before = {
      sponsor: balance(net, sponsor),
      sequence: account(net, channel)?.sequence ?? 0n,
    }
    const applied = await apply(net, bumped)

    expect(codes(applied.resultXdr)).toEqual([
      'txFeeBumpInnerFailed',
      'txFailed',
      'invokeHostFunctionTrapped',
    ])
    expect(account(net, channel)?.sequence).toBe(before.sequence + 1n)
    expect(before.sponsor - balance(net, sponsor)).toBe(feeCharged(applied.resultXdr))
    expect(trustline(net, payer, usdc)?.balance).toBe(50n * UNIT)
    expect(applied).toMatchObject({ successful: false, contractEvents: [] })
    expect(inner.sequence).toBe(String(account(net, channel)?.sequence))
  })

  it('creates and destroys no lumens', async () => {
    await apply(net, (await settle(5n * UNIT)).bumped)
    const { header } = xdr.LedgerHeaderHistoryEntry.fromXdr(net.latest.headerXdr)

    expect(lumensHeld(net, [sponsor, channel, payer, seller]) + header.feePool).toBe(TOTAL_COINS)
  })
})

describe('a channel', () => {
  it('has no balance, as the sponsor holds its reserve', () => {
    expect(account(net, channel)).toMatchObject({ balance: 0n, sponsored: 2 })
    expect(account(net, sponsor)).toMatchObject({ sponsoring: 2 })
  })

  it('merges back into its sponsor, which gets the reserve back', async () => {
    const merge = build(net, {
      source: channel,
      operations: [Operation.accountMerge({ destination: sponsor.publicKey() })],
    })
    const applied = await apply(net, bump(merge, '200'))

    expect(codes(applied.resultXdr)).toEqual([
      'txFeeBumpInnerSuccess',
      'txSuccess',
      'accountMergeSuccess',
    ])
    expect(account(net, channel)).toBeUndefined()
    expect(account(net, sponsor)).toMatchObject({ sponsoring: 0 })
  })
})

function metaOf(bytes: Uint8Array): xdr.TransactionMetaV4 {
  const meta = xdr.TransactionMeta.fromXdr(bytes)
  if (meta.type !== 'v4') throw new Error(`meta of version ${meta.type}`)
  return meta.v4
}

function amountOf(value: xdr.ScVal): bigint {
  if (value.type !== 'scvI128') throw new Error(`an amount of type ${value.type}`)
  return (BigInt.asIntN(64, value.i128.hi) << 64n) | value.i128.lo
}
