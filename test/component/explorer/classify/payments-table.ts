import { Asset } from '@stellar/stellar-sdk'
import type { ObservedPayment } from '../../../../src/explorer/observed-payment.ts'
import { muxed, openWallet, usdc } from '../../../support/payments.ts'
import { settle, settleByStock, submitSigned, type TableWorld } from './table-world.ts'
import { settleUpto } from './upto-payment.ts'

export interface PaymentRow {
  readonly name: string
  readonly send: (world: TableWorld) => Promise<Sent>
}

export interface Sent {
  readonly hash: string
  /** What the row is about; the transaction, its ledger and its fee are compared with the ledger for every row. */
  readonly payment: Partial<ObservedPayment>
}

const USDC = { code: 'USDC', issuer: 'GBBD47IF6LWK7P7MDEVSCWR7DPUWV3NY3DTQEVFL4NAT4AQH3ZLLFLA5' }
const amount = 100_000n

const between = ({ payer, seller }: TableWorld): Partial<ObservedPayment> => ({
  scheme: 'exact',
  buyer: payer.address,
  seller: seller.address,
  amount,
  asset: usdc,
  classic: USDC,
})

const bySponsor = (world: TableWorld) => ({ ...between(world), feeSource: world.sponsor })
const byStranger = (world: TableWorld) => ({
  ...between(world),
  txSource: world.stranger.publicKey(),
})

export const payments: readonly PaymentRow[] = [
  {
    name: 'settled by our facilitator',
    send: async (world) => ({ hash: await settle(world), payment: bySponsor(world) }),
  },
  {
    name: 'settled by our facilitator, to a muxed account',
    send: async (world) => ({
      hash: await settle(world, { payTo: muxed(world.seller.address, 2n ** 64n - 1n) }),
      payment: { ...bySponsor(world), muxedId: 2n ** 64n - 1n },
    }),
  },
  {
    name: 'settled by our facilitator, from a smart account',
    send: async (world) => {
      const payer = await world.deployer.smartAccount()
      const payment = { ...bySponsor(world), buyer: payer.address }
      return { hash: await settle(world, { payer }), payment }
    },
  },
  {
    name: 'settled by our facilitator, from a smart account that emits an event of its own',
    send: async (world) => {
      const payer = await world.deployer.smartAccount('loud')
      const payment = { ...bySponsor(world), buyer: payer.address }
      return { hash: await settle(world, { payer }), payment }
    },
  },
  {
    name: 'settled by our facilitator, to a contract',
    send: async (world) => {
      const { address: payTo } = await world.deployer.smartAccount()
      return {
        hash: await settle(world, { payTo }),
        payment: { ...bySponsor(world), seller: payTo },
      }
    },
  },
  {
    name: 'settled by the stock facilitator with a fee bump',
    send: async (world) => ({
      hash: await settleByStock(world, 'fee bump'),
      payment: between(world),
    }),
  },
  {
    name: 'settled by the stock facilitator without a fee bump',
    send: async (world) => ({
      hash: await settleByStock(world, 'no fee bump'),
      payment: between(world),
    }),
  },
  {
    name: 'submitted by a stranger, signed with the older credentials',
    send: async (world) => {
      const expirationLedger = world.stack.localnet.network.latest.sequence + 7
      const hash = await submitSigned(world, { version: 'V1', expirationLedger })
      return { hash, payment: { ...byStranger(world), sigExpirationLedger: expirationLedger } }
    },
  },
  {
    name: 'in lumens',
    send: async (world) => {
      const asset = Asset.native().contractId(world.stack.localnet.network.passphrase)
      const hash = await submitSigned(world, { asset })
      return { hash, payment: { ...byStranger(world), asset, classic: { code: 'XLM' } } }
    },
  },
  {
    name: 'to oneself',
    send: async (world) => {
      const { address } = world.payer
      const hash = await submitSigned(world, { payTo: address })
      return { hash, payment: { ...byStranger(world), seller: address } }
    },
  },
  ...(['honest', 'mapData'] as const).map((mode) => ({
    name: `in a token of its own, ${mode}`,
    send: (world: TableWorld) => payInToken(world, mode),
  })),
  {
    name: 'in a token of its own that calls a contract with an event',
    send: async (world) => payInToken(world, 'ringing', await world.deployer.bell()),
  },
  {
    name: 'of a part of what was signed, by the settlement contract',
    send: (world) => payUpto(world, 60_000n),
  },
  {
    name: 'of everything that was signed, by the settlement contract',
    send: (world) => payUpto(world, 100_000n),
  },
  {
    name: 'of nothing, by the settlement contract',
    send: async (world) => {
      const { hash, payment } = await payUpto(world, 0n)
      const { classic: _, ...withoutAsset } = payment
      return { hash, payment: withoutAsset }
    },
  },
]

async function payInToken(
  world: TableWorld,
  mode: 'honest' | 'mapData' | 'ringing',
  bell?: string,
): Promise<Sent> {
  const asset = await world.deployer.trickToken(mode, bell)
  await world.deployer.mint(asset, world.payer.address)
  const hash = await submitSigned(world, { asset })
  const { classic: _, ...payment } = byStranger(world)
  return { hash, payment: { ...payment, asset } }
}

/** The payer signs for 100,000 units, and the authority settles some of them. */
async function payUpto(world: TableWorld, actual: bigint): Promise<Sent> {
  const { address: payTo } = await openWallet(world.stack.localnet, 1n)
  const hash = await settleUpto(world, { contract: world.upto, payTo, actual })
  const { channel, sponsor } = world.settlers
  const submitted = { txSource: channel.publicKey(), feeSource: sponsor.publicKey() }
  const payment = { ...between(world), ...submitted, scheme: 'upto' as const, seller: payTo }
  return { hash, payment: { ...payment, amount: actual, ceiling: amount } }
}
