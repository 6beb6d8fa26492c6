/** `settle` of the scheme `upto` as a facilitator sends it: of a channel, with the authority as the operation's source. */
import { Contract, type Keypair, nativeToScVal, xdr } from '@stellar/stellar-sdk'
import { usdc } from '../../../src/localnet/genesis/genesis-assets.ts'
import { uptoContract } from '../../../src/localnet/genesis/upto-contract.ts'
import { muxedAccountOf } from '../../../src/localnet/ledger/account-id.ts'
import type { Localnet } from '../../../src/localnet/network.ts'
import { build, idOf, type PreparedCall, passphrase } from './harness.ts'
import { addressValue, prepare } from './soroban-harness.ts'

export interface Settlement {
  readonly payer: Keypair
  readonly payTo: Keypair | string
  readonly authority: Keypair
  readonly ceiling: bigint
  readonly actual: bigint
  /** The contract's nonce, below 2^32: a payer can use each once. */
  readonly nonce: number
}

/** Authorized by the payer's entry, and by an entry of the operation's source account. */
export function settleCall(net: Localnet, settlement: Settlement): Promise<PreparedCall> {
  const { payer, payTo, authority, ceiling, actual, nonce } = settlement
  const nonceBytes = Buffer.alloc(32)
  nonceBytes.writeUInt32BE(nonce)
  const i128 = (value: bigint) => nativeToScVal(value, { type: 'i128' })
  const call = new Contract(uptoContract(passphrase)).call(
    'settle',
    addressValue(usdc.contractId(passphrase)),
    addressValue(payer),
    addressValue(payTo),
    i128(ceiling),
    // The last ledger of the payer's entry, as the harness signs it.
    xdr.ScVal.scvU32(net.latest.sequence + 60),
    xdr.ScVal.scvBytes(nonceBytes),
    i128(actual),
    addressValue(authority),
  )
  return prepare(net, call, { source: authority, payer })
}

interface Parties {
  readonly channel: Keypair
  /** The operation's source. */
  readonly authority?: Keypair
  /** @default channel and authority */
  readonly signers?: readonly Keypair[]
}

export function settleTransaction(
  net: Localnet,
  { operation: { body }, data }: PreparedCall,
  { channel, authority, signers = [channel, ...(authority ? [authority] : [])] }: Parties,
) {
  const sourceAccount = authority ? muxedAccountOf(idOf(authority)) : null
  const call = { operation: new xdr.Operation({ sourceAccount, body }), data }
  return build(net, { source: channel, call, signers })
}
