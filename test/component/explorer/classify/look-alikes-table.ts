import { Asset, type Keypair, Memo, Operation, xdr } from '@stellar/stellar-sdk'
import type { SkipReason } from '../../../../src/explorer/observed-payment.ts'
import { USDC_ISSUER } from '../../../../src/localnet/genesis/genesis-assets.ts'
import type { TrickTokenMode } from '../../../support/contracts.ts'
import { callOperation } from '../../../support/explorer/submitter.ts'
import {
  addressValue,
  callOf,
  i128,
  openWallet,
  signedEntry,
  type Wallet,
} from '../../../support/payments.ts'
import { fundedKey, fundFees, submitOwn, submitSigned, type TableWorld } from './table-world.ts'
import { settleUpto } from './upto-payment.ts'

export interface LookAlikeRow {
  readonly name: string
  readonly expected: SkipReason | 'no_call'
  /** Returns the hash of the transaction. */
  readonly send: (world: TableWorld) => Promise<string>
}

const USDC = new Asset('USDC', USDC_ISSUER)

export const lookAlikes: readonly LookAlikeRow[] = [
  {
    name: 'a transfer by its owner as source of the transaction',
    expected: 'sent_by_its_sender',
    send: (world) => submitOwn(world),
  },
  {
    name: 'a transfer by its owner as source of the transaction, with a signed entry',
    expected: 'sent_by_its_sender',
    send: (world) => submitSigned(world, {}, { from: world.payer.key }),
  },
  {
    name: 'a transfer by its owner as source of the operation',
    expected: 'sent_by_its_sender',
    send: (world) => {
      const { payer } = world
      return submitSigned(world, {}, { opSource: payer.address, signers: [payer.key] })
    },
  },
  {
    name: 'a transfer by its owner as source of the fee bump',
    expected: 'sent_by_its_sender',
    send: (world) => submitSigned(world, {}, { feeBump: world.payer.key }),
  },
  {
    name: 'a payment of classic Stellar',
    expected: 'no_call',
    send: (world) => submitClassic(world, [paymentTo(world)]),
  },
  {
    name: 'a payment of classic Stellar whose memo is the name of the function',
    expected: 'no_call',
    send: (world) => submitClassic(world, [paymentTo(world)], { memo: Memo.text('transfer') }),
  },
  {
    name: 'two payments of classic Stellar whose memo is the name of the function',
    expected: 'not_one_call',
    send: (world) =>
      submitClassic(world, [paymentTo(world), paymentTo(world)], { memo: Memo.text('transfer') }),
  },
  {
    name: 'a swap in a call of an exchange, with a transfer below',
    expected: 'other_function',
    send: (world) => submitRouted(world, 'forward', 1),
  },
  {
    name: 'two transfers in a call of a contract',
    expected: 'other_function',
    send: (world) => submitRouted(world, 'twice', 2),
  },
  {
    name: 'a call named transfer of a contract that lets the token below transfer',
    expected: 'no_matching_transfer',
    send: (world) => submitRouted(world, 'transfer', 1),
  },
  {
    name: 'a transfer by a spender',
    expected: 'no_call',
    send: submitBySpender,
  },
  {
    name: 'a mint: a transfer by the issuer of the asset',
    expected: 'no_matching_transfer',
    send: async (world) => {
      const holder = await ownHolder(world)
      const issuer = walletOf(world.ownAsset.issuer)
      const asset = world.ownAsset.contract
      return submitSigned(world, { payer: issuer, payTo: holder.address, asset })
    },
  },
  {
    name: 'a burn: a transfer to the issuer of the asset',
    expected: 'no_matching_transfer',
    send: async (world) => {
      const payer = await ownHolder(world)
      const payTo = world.ownAsset.issuer.publicKey()
      return submitSigned(world, { payer, payTo, asset: world.ownAsset.contract })
    },
  },
  {
    name: 'a payment that fails on the ledger',
    expected: 'failed',
    send: submitFailing,
  },
  {
    name: 'a settlement by a contract that is not configured',
    expected: 'other_function',
    send: async (world) => {
      const contract = await world.deployer.upto()
      return settleUpto(world, { contract, payTo: world.seller.address, actual: 1n })
    },
  },
  ...(
    [
      ['authority, the source of the operation', 'authority'],
      ['source of the transaction', 'channel'],
      ['source of the fee bump', 'sponsor'],
    ] as const
  ).map(([role, name]) => ({
    name: `a settlement whose payer is its ${role}`,
    expected: 'sent_by_its_sender' as const,
    send: (world: TableWorld) => {
      const { upto: contract, seller, payer } = world
      return settleUpto(world, { contract, payTo: seller.address, actual: 1n, [name]: payer.key })
    },
  })),
  ...(
    [
      ['twice', 'several_transfers'],
      ['wrongAmount', 'no_matching_transfer'],
      ['wrongFrom', 'no_matching_transfer'],
      ['wrongTo', 'no_matching_transfer'],
      ['otherTopic', 'no_matching_transfer'],
      ['silent', 'no_matching_transfer'],
    ] as const
  ).map(([mode, expected]) => ({
    name: `a transfer of a token that reports it ${mode}`,
    expected,
    send: (world: TableWorld) => submitTrick(world, mode),
  })),
]

const walletOf = (key: Keypair): Wallet => ({ address: key.publicKey(), key })

const paymentTo = ({ seller }: TableWorld) =>
  Operation.payment({ destination: seller.address, asset: USDC, amount: '0.01' })

async function submitClassic(
  { submitter, payer }: TableWorld,
  operations: readonly xdr.Operation[],
  { memo, from = payer }: { readonly memo?: Memo; readonly from?: Wallet } = {},
): Promise<string> {
  return submitter.submit({ from: from.key, operations, ...(memo && { memo }) })
}

/** A call of the router that the payer signed, with so many transfers below it. */
function submitRouted(
  world: TableWorld,
  functionName: 'forward' | 'twice' | 'transfer',
  transfers: number,
): Promise<string> {
  const transfer = callOf({ payer: world.payer, payTo: world.seller.address })
  const below = Array.from({ length: transfers }, () => transfer)
  const args = transfer.args.slice()
  return submitSigned(world, { call: { contract: world.router, functionName, args } }, { below })
}

async function submitBySpender(world: TableWorld): Promise<string> {
  const { payer, seller, stranger, stack } = world
  const [owner, spender] = [payer.address, stranger.publicKey()].map(addressValue)
  const until = xdr.ScVal.scvU32(stack.localnet.network.latest.sequence + 100)
  const plan = { payer, payTo: seller.address }
  const approve = { functionName: 'approve', args: [owner, spender, i128(1_000_000n), until] }
  await submitSigned(world, { call: approve as never })
  const args = [spender, owner, addressValue(seller.address), i128(100_000n)]
  const call = callOf({ ...plan, call: { functionName: 'transfer_from', args: args as never } })
  return world.submitter.submit({ from: stranger, operations: [callOperation(call)] })
}

/** An account that holds the asset whose issuer's key is known. */
async function ownHolder(world: TableWorld): Promise<Wallet> {
  const { asset, issuer } = world.ownAsset
  const key = await fundedKey(world)
  const operations = [
    Operation.changeTrust({ asset, source: key.publicKey() }),
    Operation.payment({ asset, destination: key.publicKey(), amount: '1' }),
  ]
  await world.submitter.submit({ from: issuer, operations, signers: [key] })
  return walletOf(key)
}

/** Prepared while the payer can pay, and sent after the payer spent everything. */
async function submitFailing(world: TableWorld): Promise<string> {
  const { stack, submitter, stranger, seller } = world
  const payer = await openWallet(stack.localnet, 100_000n)
  await fundFees(world, payer)
  const plan = { payer, payTo: seller.address }
  const entry = await signedEntry(stack.localnet, plan)
  const operations = [callOperation(callOf(plan), [entry])]
  const prepared = await submitter.prepare({ from: stranger, operations })
  await submitClassic(world, [paymentTo(world)], { from: payer })
  return submitter.send(prepared)
}

async function submitTrick(world: TableWorld, mode: TrickTokenMode): Promise<string> {
  const asset = await world.deployer.trickToken(mode)
  await world.deployer.mint(asset, world.payer.address)
  return submitSigned(world, { asset })
}
