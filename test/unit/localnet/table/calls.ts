/** Soroban transactions in few words, prepared on the ledger that they meet. */
import { Operation, SorobanDataBuilder, xdr } from '@stellar/stellar-sdk'
import type { Localnet } from '../../../../src/localnet/network.ts'
import { contractBalanceKey } from '../../../support/ledger-view.ts'
import { declaredBy, nonRefundableFee } from '../core-fees.ts'
import { bytesOf, type Op, type PreparedCall, passphrase } from '../harness.ts'
import { type Declaration, declaring, type Transfer, transferCall } from '../soroban-harness.ts'
import { alice, bob, carol, sponsor, UNIT, vault, XLM } from './accounts.ts'
import { declaredFee, rawFeeBump } from './raw-envelopes.ts'
import {
  type Send,
  type Sending,
  sending,
  sendingOf,
  type Tx,
  transactionOf,
} from './transaction.ts'

export type Prepare = (net: Localnet) => PreparedCall | Promise<PreparedCall>

interface Parts extends Omit<Tx, 'operations' | 'call'> {
  /** Stroops above the cost of its resources, in place of the declared resource fee. */
  readonly spare?: bigint | undefined
}

/** Of carol, unless it says otherwise. Its operation stands for the prepared one in the result codes. */
const soroban = (
  operation: Op,
  prepare: Prepare,
  { source = carol, spare, ...parts }: Parts = {},
): Sending =>
  sending({ source, operations: [operation] }, async (net) => {
    const prepared = await prepare(net)
    const write = (call: PreparedCall) =>
      transactionOf(net, { source, ...parts, operations: [call.operation], call })
    const transaction = write(prepared)
    if (spare === undefined) return transaction
    const resourceFee = nonRefundableFee(declaredBy(bytesOf(transaction))) + spare
    return write(declaring(prepared, { resourceFee }))
  })

const anyCall = Operation.uploadContractWasm({ wasm: new Uint8Array() })

export const calls = (prepare: Prepare, parts?: Parts): Sending => soroban(anyCall, prepare, parts)

/** 5 XLM of alice to bob, in a call of carol. */
export const transfer =
  (parts: Partial<Transfer> = {}): Prepare =>
  (net) =>
    transferCall(net, { from: alice, to: bob, amount: 5n * UNIT, source: carol, ...parts })

/** The transfer, which declares something else. */
export const transferDeclaring = (changes: Declaration): Sending =>
  calls(async (net) => declaring(await transfer()(net), changes))

/** The balance of the vault in XLM, once it was paid. */
export const vaultBalance = xdr.LedgerKey.fromXdr(
  contractBalanceKey(vault, XLM.contractId(passphrase)),
)

interface Declared extends Pick<Parts, 'spare'> {
  readonly reads?: readonly xdr.LedgerKey[]
  readonly writes?: readonly xdr.LedgerKey[]
  readonly diskReadBytes?: number
}

/** An operation without a call: its footprint is all that it needs. */
export function withFootprint(operation: Op, declared: Declared): Sending {
  const { reads = [], writes = [], diskReadBytes = 10_000, spare } = declared
  const data = new SorobanDataBuilder()
    .setResources(0, diskReadBytes, 10_000)
    .setReadOnly([...reads])
    .setReadWrite([...writes])
    .setResourceFee(50_000_000n)
    .build()
  return soroban(operation, () => ({ operation, data }), { spare })
}

/** The sponsor pays, as for every settlement. */
export function bumped(send: Send): Sending {
  const inner = sendingOf(send)
  const build: Sending['build'] = async (net) => {
    const envelope = await inner.build(net)
    return rawFeeBump(net, envelope, { payer: sponsor, bid: 1_000n + declaredFee(envelope) })
  }
  return sending(inner, build, { payer: sponsor, fee: 200n, feeBump: true })
}

/** Prepares a call, which `again` returns on later ledgers. */
export function kept(prepare: Prepare): Record<'prepare' | 'again', Prepare> {
  let last: PreparedCall | undefined
  return {
    prepare: async (net) => {
      last = await prepare(net)
      return last
    },
    again: () => {
      if (!last) throw new Error('the call was not prepared')
      return last
    },
  }
}

/** Prepares a call for a later transaction before it builds its own. */
export function preparing({ prepare }: ReturnType<typeof kept>, given: Send): Sending {
  const sent = sendingOf(given)
  const build: Sending['build'] = async (net) => {
    await prepare(net)
    return sent.build(net)
  }
  return { ...sent, build }
}
