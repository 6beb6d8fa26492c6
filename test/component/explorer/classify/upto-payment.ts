import { randomBytes } from 'node:crypto'
import { type Keypair, xdr } from '@stellar/stellar-sdk'
import { callOperation, type Submission } from '../../../support/explorer/submitter.ts'
import {
  addressValue,
  callOf,
  i128,
  invocationOf,
  signedEntry,
  usdc,
} from '../../../support/payments.ts'
import type { TableWorld } from './table-world.ts'

/** Accounts that settle as our facilitator does. */
export interface Settlers {
  /** Source of the operation. */
  readonly authority: Keypair
  /** Source of the transaction. */
  readonly channel: Keypair
  /** Source of the fee bump. */
  readonly sponsor: Keypair
}

interface UptoPayment extends Partial<Settlers> {
  /** Of the settlement. */
  readonly contract: string
  readonly payTo: string
  readonly actual: bigint
}

const CEILING = 100_000n

/** The payer signs for 100,000 units of USDC, and the authority settles some of them, in the shape of our settlements. */
export async function settleUpto(world: TableWorld, plan: UptoPayment): Promise<string> {
  const { payer, stack } = world
  const { contract, payTo, actual, authority, channel, sponsor } = { ...world.settlers, ...plan }
  const expirationLedger = stack.localnet.network.latest.sequence + 50
  const expiry = xdr.ScVal.scvU32(expirationLedger)
  const nonce = xdr.ScVal.scvBytes(randomBytes(32))
  const [token, from, to, settler] = [usdc, payer.address, payTo, authority.publicKey()].map(
    addressValue,
  ) as [xdr.ScVal, xdr.ScVal, xdr.ScVal, xdr.ScVal]
  const whole = { payer, payTo }
  const settle = (...args: xdr.ScVal[]) =>
    callOf({ ...whole, call: { contract, functionName: 'settle', args } })
  const spender = addressValue(contract)
  const approve = callOf({
    ...whole,
    call: { functionName: 'approve', args: [from, spender, i128(CEILING), expiry] },
  })
  const call = settle(token, from, to, i128(CEILING), expiry, nonce, i128(actual), settler)
  const signed = await signedEntry(stack.localnet, {
    ...whole,
    expirationLedger,
    beforeSigning: (unsigned) => {
      const signedCall = settle(token, to, i128(CEILING), expiry, nonce, settler)
      unsigned.rootInvocation = invocationOf(signedCall, [invocationOf(approve)])
    },
  })
  const ours = new xdr.SorobanAuthorizationEntry({
    credentials: xdr.SorobanCredentials.sorobanCredentialsSourceAccount(),
    rootInvocation: invocationOf(call),
  })
  const submission: Submission = {
    from: channel,
    operations: [callOperation(call, [signed, ours], authority.publicKey())],
    signers: [authority],
    feeBump: sponsor,
  }
  return world.submitter.submit(submission)
}
