import { StrKey, xdr } from '@stellar/stellar-sdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AppliedTransaction } from '../../../src/localnet/closing/history.ts'
import {
  accountEntry,
  eventsOf,
  transactionsAfter,
  transfersOf,
  usdcOf,
} from '../../support/ledger-view.ts'
import { muxed, openWallet, type PaymentPlan, usdc, type Wallet } from '../../support/payments.ts'
import { rowOf } from './store-view.ts'
import { openWorld, type World } from './world.ts'

/** interface.md, Events 1: the effects of one settlement on the ledger. */
let world: World
beforeAll(async () => {
  world = await openWorld({ network: { channelCount: 3 } })
})
afterAll(() => world[Symbol.asyncDispose]())

const amount = 123_456n

interface Recipient {
  readonly payTo: string
  /** The account or contract that holds the money. */
  readonly holder: string
  readonly id?: bigint
}

const recipients: Record<string, () => Promise<Recipient>> = {
  'an account': async () => {
    const { address } = await openWallet(world.stack.localnet, 1n)
    return { payTo: address, holder: address }
  },
  'a contract': async () => {
    const { address } = await world.deployer.smartAccount()
    return { payTo: address, holder: address }
  },
  'a contract that held nothing before': async () => {
    const holder = await world.deployer.bell()
    return { payTo: holder, holder }
  },
  'a muxed account': async () => {
    const { address } = await openWallet(world.stack.localnet, 1n)
    return { payTo: muxed(address, 2n ** 64n - 1n), holder: address, id: 2n ** 64n - 1n }
  },
}

interface Payer {
  readonly wallet: Wallet
  readonly version: NonNullable<PaymentPlan['version']>
  /** Further events of its own contract, or of its policy. */
  readonly besides?: readonly string[]
  readonly policy?: string
}

const payers: Record<string, () => Promise<Payer>> = {
  'an account with V1 credentials': async () => ({ wallet: world.payer, version: 'V1' }),
  'an account with V2 credentials': async () => ({ wallet: world.payer, version: 'V2' }),
  'a smart account with V1 credentials': async () => ({
    wallet: await world.deployer.smartAccount(),
    version: 'V1',
  }),
  'a smart account with V2 credentials': async () => ({
    wallet: await world.deployer.smartAccount(),
    version: 'V2',
  }),
  'a smart account that emits an event of its own': async () => ({
    wallet: await world.deployer.smartAccount('loud'),
    version: 'V2',
    besides: ['approved'],
  }),
  'a smart account whose spending policy emits an event': async () => {
    const { policy, ...wallet } = await world.deployer.policyAccount()
    return { wallet, version: 'V2', besides: ['spent'], policy }
  },
}

const cases = Object.entries(payers).flatMap(([payer, openPayer]) =>
  Object.entries(recipients).map(([recipient, openRecipient]) => ({
    payer,
    recipient,
    openPayer,
    openRecipient,
  })),
)

describe('a settlement', () => {
  test.each(cases)(
    'from $payer to $recipient moves the amount and the fee, and nothing else',
    async ({ openPayer, openRecipient }) => {
      const { stack } = world
      const { network } = stack.localnet
      const { wallet, version, besides = [], policy } = await openPayer()
      const { payTo, holder, id } = await openRecipient()
      const body = await world.pay({ payer: wallet, payTo, amount, version })
      const before = stateOf(wallet.address, holder)

      const { status, body: answer } = await stack.post('/settle', body)

      expect({ status, ...answer }).toEqual({
        status: 200,
        success: true,
        transaction: expect.stringMatching(/^[0-9a-f]{64}$/),
        network: 'stellar:testnet',
        payer: wallet.address,
      })
      const [applied, ...others] = transactionsAfter(network, before.ledger)
      expect(others).toEqual([])
      expect(applied).toMatchObject({
        hash: answer.transaction,
        feeBump: true,
        successful: true,
      })
      const settled = applied as AppliedTransaction

      // Source accounts and fee.
      const { feeSource, source, sequence } = envelopeOf(settled)
      expect(feeSource).toBe(world.sponsor)
      expect(before.channels.has(source)).toBe(true)
      expect(sequence).toBe((before.channels.get(source)?.sequence ?? 0n) + 1n)

      // Events.
      const transfer = { contract: usdc, from: wallet.address, to: holder, amount }
      expect(transfersOf(settled)).toEqual([id === undefined ? transfer : { ...transfer, id }])
      const otherEvents = eventsOf(settled).filter(({ contract }) => contract !== usdc)
      expect(otherEvents.map(({ topics: [name] }) => name)).toEqual(besides)
      const emitter = policy ?? wallet.address
      expect(otherEvents.every(({ contract }) => contract === emitter)).toBe(true)

      // Balances.
      const after = stateOf(wallet.address, holder)
      const { feeCharged } = xdr.TransactionResult.fromXdr(settled.resultXdr)
      expect(after.payer).toBe(before.payer - amount)
      expect(after.holder).toBe(before.holder + amount)
      expect(after.sponsor).toBe(before.sponsor - feeCharged)
      for (const [address, channel] of before.channels) {
        const used = address === source ? 1n : 0n
        const { balance, sequence: number } = channel
        expect(after.channels.get(address)).toEqual({ balance, sequence: number + used })
      }
      for (const address of [world.sponsor, ...before.channels.keys()]) {
        expect(usdcOf(network, address)).toBeUndefined()
      }
      expect(nativeChanges(settled)).toEqual([])

      // The row in the store.
      expect(await rowOf(stack, body)).toMatchObject({
        state: 'succeeded',
        attempt: 1,
        sponsor: world.sponsor,
        facts: { asset: usdc, payTo, amount },
        recorded: { txHash: settled.hash, innerHash: settled.innerHash, channel: source },
        outcome: { response: answer, ledger: settled.ledger, feeCharged },
      })
    },
  )
})

test('a spending policy ends the payments of its account at the limit', async () => {
  const { stack } = world
  const payer = await world.deployer.policyAccount()
  const half = { payer, amount: 25_000_001n }
  const { body: paid } = await stack.post('/settle', await world.pay(half))
  expect(paid).toMatchObject({ success: true })
  const { body: refused } = await stack.post('/settle', await world.pay(half))
  expect(refused).toMatchObject({
    success: false,
    errorReason: 'invalid_exact_stellar_payload_smart_account_rejected',
  })
})

function stateOf(payer: string, holder: string) {
  const { network } = world.stack.localnet
  const addresses = world.stack.facilitator.networks.get('stellar:testnet')?.channels.addresses
  const channels = new Map(
    (addresses ?? []).map((address) => {
      const { balance, seqNum: sequence } = accountEntry(network, address)
      return [address, { balance, sequence }] as const
    }),
  )
  expect(channels.size).toBe(3)
  return {
    ledger: network.latest.sequence,
    payer: usdcOf(network, payer) ?? 0n,
    holder: usdcOf(network, holder) ?? 0n,
    sponsor: accountEntry(network, world.sponsor).balance,
    channels,
  }
}

function envelopeOf({ envelopeXdr }: AppliedTransaction) {
  const envelope = xdr.TransactionEnvelope.fromXdr(envelopeXdr)
  if (envelope.type !== 'envelopeTypeTxFeeBump') throw new Error(`not a fee bump: ${envelope.type}`)
  const { feeSource, innerTx } = envelope.feeBump.tx
  const { tx } = innerTx.v1
  return {
    feeSource: addressOf(feeSource),
    source: addressOf(tx.sourceAccount),
    sequence: tx.seqNum,
    operations: tx.operations,
  }
}

function addressOf(account: xdr.MuxedAccount): string {
  if (account.type !== 'keyTypeEd25519') throw new Error('an account under an id')
  return StrKey.encodeEd25519PublicKey(account.ed25519.toBytes())
}

/** Accounts whose lumens the transaction itself moves; fees are charged before, and are not in its meta. */
function nativeChanges({ resultMetaXdr }: AppliedTransaction): string[] {
  const meta = xdr.TransactionMeta.fromXdr(resultMetaXdr)
  if (meta.type !== 'v4') throw new Error(`meta of another version: ${meta.type}`)
  const { txChangesBefore, txChangesAfter, operations } = meta.v4
  const changes = [
    ...txChangesBefore,
    ...operations.flatMap((operation) => [...operation.changes]),
    ...txChangesAfter,
  ]
  const balances = new Map<string, Set<bigint>>()
  for (const change of changes) {
    if (change.type === 'ledgerEntryRemoved') continue
    const { data } = change.value
    if (data.type !== 'account') continue
    const address = StrKey.encodeEd25519PublicKey(data.account.accountId.ed25519.toBytes())
    balances.set(address, (balances.get(address) ?? new Set()).add(data.account.balance))
  }
  return [...balances].filter(([, seen]) => seen.size > 1).map(([address]) => address)
}
