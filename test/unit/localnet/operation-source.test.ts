/**
 * A contract call whose operation has another source than its transaction, on the real host: a settlement of `upto`, of
 * a channel's transaction, which the authority authorizes as the operation's source.
 */
import { type Keypair, Operation, TransactionBuilder } from '@stellar/stellar-sdk'
import { beforeEach, describe, expect, it } from 'vitest'
import { usdc } from '../../../src/localnet/genesis-assets.ts'
import { entryKey } from '../../../src/localnet/ledger/entry-record.ts'
import { accountKey } from '../../../src/localnet/ledger/keys.ts'
import type { Localnet } from '../../../src/localnet/network.ts'
import {
  apply,
  balance,
  build,
  bytesOf,
  codes,
  fund,
  idOf,
  key,
  openNetwork,
  outcome,
  passphrase,
  trustline,
  XLM,
} from './harness.ts'
import { declaring } from './soroban-harness.ts'
import { settleCall, settleTransaction } from './upto-call.ts'

const UNIT = 10_000_000n
const keys = (first: number, count: number): Keypair[] =>
  Array.from({ length: count }, (_, index) => key(first + index))
const [sponsor, authority, channel, payer, seller] = keys(1, 5) as [
  Keypair,
  Keypair,
  Keypair,
  Keypair,
  Keypair,
]
const LANES = 2
const channels = keys(20, LANES)
const payers = keys(30, LANES)
const sellers = keys(40, LANES)

let net: Localnet

beforeEach(async () => {
  net = openNetwork().net
  await fund(net, [sponsor, channel, ...channels])
  const gifts = [payer, seller, ...payers, ...sellers].map((it) =>
    net.faucet({ address: it.publicKey(), asset: 'USDC', amount: 10n * UNIT }),
  )
  await net.closeLedger()
  await Promise.all(gifts)
})

/** The authority as the facilitator makes it: without balance, its reserve held by the sponsor. */
async function openAuthority(): Promise<void> {
  const sponsored = authority.publicKey()
  const opening = build(net, {
    source: sponsor,
    operations: [
      Operation.beginSponsoringFutureReserves({ sponsoredId: sponsored }),
      Operation.createAccount({ destination: sponsored, startingBalance: '0' }),
      Operation.endSponsoringFutureReserves({ source: sponsored }),
    ],
    signers: [sponsor, authority],
    fee: '300',
  })
  expect(codes((await apply(net, opening)).resultXdr)[0]).toBe('txSuccess')
}

const settle = (by = payer, to = seller) =>
  settleCall(net, {
    payer: by,
    payTo: to.publicKey(),
    authority,
    ceiling: 5n * UNIT,
    actual: 2n * UNIT,
    nonce: 1,
  })

const usdcOf = (who: Keypair) => trustline(net, who, usdc)?.balance

const bumped = (inner: ReturnType<typeof build>) => {
  const outer = TransactionBuilder.buildFeeBumpTransaction(sponsor, '1000', inner, passphrase)
  outer.sign(sponsor)
  return outer
}

describe('an operation with a source of its own', () => {
  it('is authorized by that account, which needs no balance and no place in the footprint', async () => {
    await openAuthority()
    const call = await settle()
    const { readOnly, readWrite } = call.data.resources.footprint
    const touched = [...readOnly, ...readWrite].map((it) => entryKey(it.toXdr()))
    expect(touched).not.toContain(accountKey(idOf(authority)))

    const inner = settleTransaction(net, call, { channel, authority })
    const applied = await apply(net, bumped(inner))
    expect(codes(applied.resultXdr)).toEqual([
      'txFeeBumpInnerSuccess',
      'txSuccess',
      'invokeHostFunctionSuccess',
    ])
    expect(usdcOf(payer)).toBe(8n * UNIT)
    expect(usdcOf(seller)).toBe(12n * UNIT)
    expect(balance(net, authority)).toBe(0n)
  })

  it.each<[string, string[], Keypair[]]>([
    ['of that source', ['txFailed', 'opBadAuth'], [channel]],
    ["of the transaction's source", ['txBadAuth'], [authority]],
  ])('needs the signature %s', async (_, expected, signers) => {
    await openAuthority()
    const call = await settle()
    const inner = settleTransaction(net, call, { channel, authority, signers })
    expect(await outcome(net, inner)).toEqual(['ERROR', ...expected])
    expect(await outcome(net, bumped(inner))).toEqual([
      'ERROR',
      'txFeeBumpInnerFailed',
      ...expected,
    ])
  })

  it('fails where that account does not exist, with its signature', async () => {
    const inner = settleTransaction(net, await settle(), { channel, authority })
    expect(await outcome(net, inner)).toEqual(['txFailed', 'opNoAccount'])
    expect(usdcOf(seller)).toBe(10n * UNIT)
  })

  it('has no authorization by another account: a copy without that source fails', async () => {
    await openAuthority()
    const copy = settleTransaction(net, await settle(), { channel })
    expect(await outcome(net, copy)).toEqual(['txFailed', 'invokeHostFunctionTrapped'])
    expect(usdcOf(seller)).toBe(10n * UNIT)
  })

  it('shares its source with others of the same ledger, each in a cluster of its own', async () => {
    await openAuthority()
    const sent = await Promise.all(
      channels.map(async (lane, index) => {
        const call = await settle(payers[index], sellers[index])
        // Two of these are more than a ledger runs one after the other.
        const large = declaring(call, { instructions: 400_000_000, resourceFee: XLM })
        return settleTransaction(net, large, { channel: lane, authority })
      }),
    )
    for (const transaction of sent) {
      expect(net.submit(bytesOf(transaction)).status).toBe('PENDING')
    }
    const { transactions } = await net.closeLedger()
    expect(transactions.map(({ successful }) => successful)).toEqual(Array(LANES).fill(true))
    expect(new Set(transactions.map(({ cluster }) => String(cluster))).size).toBe(LANES)
    expect(sellers.map(usdcOf)).toEqual(Array(LANES).fill(12n * UNIT))
  })
})
