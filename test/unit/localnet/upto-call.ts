/** `settle` of the scheme `upto` as a facilitator sends it: of a channel, with the authority as the operation's source. */
import { Address, Contract, type Keypair, nativeToScVal, xdr } from '@stellar/stellar-sdk'
import { usdc } from '../../../src/localnet/genesis-assets.ts'
import { muxedAccountOf } from '../../../src/localnet/ledger/account-id.ts'
import type { Localnet } from '../../../src/localnet/network.ts'
import { uptoContract } from '../../../src/localnet/upto-contract.ts'
import { build, idOf, passphrase } from './harness.ts'
import { type PreparedCall, prepare } from './soroban-harness.ts'

export interface Settlement {
  readonly payer: Keypair
  readonly payTo: string
  readonly authority: Keypair
  readonly ceiling: bigint
  readonly actual: bigint
  /** The contract's nonce, below 2^32: a payer can use each once. */
  readonly nonce: number
}

/** Authorized by the payer's entry, and by an entry of the operation's source account. */
export function settleCall(net: Localnet, settlement: Settlement): Promise<PreparedCall> {
  const { payer, payTo, authority, ceiling, actual, nonce } = settlement
  const address = (of: string) => Address.fromString(of).toScVal()
  const nonceBytes = Buffer.alloc(32)
  nonceBytes.writeUInt32BE(nonce)
  const i128 = (value: bigint) => nativeToScVal(value, { type: 'i128' })
  const call = new Contract(uptoContract(passphrase)).call(
    'settle',
    address(usdc.contractId(passphrase)),
    address(payer.publicKey()),
    address(payTo),
    i128(ceiling),
    // The last ledger of the payer's entry, as the harness signs it.
    xdr.ScVal.scvU32(net.latest.sequence + 60),
    xdr.ScVal.scvBytes(nonceBytes),
    i128(actual),
    address(authority.publicKey()),
  )
  return prepare(net, call, { source: authority, payer })
}

export function settleTransaction(
  net: Localnet,
  { operation: { body }, data }: PreparedCall,
  parties: {
    readonly channel: Keypair
    /** The operation's source. */
    readonly authority?: Keypair
    /** @default channel and authority */
    readonly signers?: readonly Keypair[]
  },
) {
  const { channel, authority } = parties
  const sourceAccount = authority ? muxedAccountOf(idOf(authority)) : null
  return build(net, {
    source: channel,
    operations: [new xdr.Operation({ sourceAccount, body })],
    signers: parties.signers ?? [channel, ...(authority ? [authority] : [])],
    sorobanData: data,
  })
}
