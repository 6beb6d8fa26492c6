/** The rules of the sidecar for one sponsor, and envelopes that nobody of ours has built. */
import { Address, Keypair, xdr } from '@stellar/stellar-sdk'
import type { Policy } from '../../../../examples/signer-sidecar/config.ts'
import { Refusal } from '../../../../examples/signer-sidecar/policy/refusal.ts'
import {
  type Effects,
  examineTransaction,
} from '../../../../examples/signer-sidecar/policy/transaction.ts'
import { signerFromSeed } from '../../../../src/stellar/accounts/signer.ts'
import { type Accounts, MARK, transactionData } from '../../../support/signing/our-envelopes.ts'
import { passphrase } from '../../payments/protocol/payment-builder.ts'

const seed = (n: number) => signerFromSeed(new Uint8Array(32).fill(n))

export const accounts: Accounts = {
  sponsor: seed(3),
  other: seed(4),
  source: seed(5),
  channels: [seed(6), seed(7)],
}
export const thief = seed(66)
export const sponsor = accounts.sponsor.address

/** Unix ms of the clock of the sidecar. */
export const now = 1_800_000_000_000
export const nowSeconds = BigInt(now / 1_000)

export const policy: Policy = {
  maxFeeStroops: 1_000_000,
  maxXlmPerHour: 100_000_000n,
  recipients: [accounts.other.address],
  channels: { maxPerDay: 10 },
  announcements: ['https://facilitator.example'],
  dataEntries: [MARK],
  allowContractDeploy: true,
}

/** The code of the refusal, with the reason after it, or what a signature would stand for. */
export function examined(envelope: string, change: Partial<Policy> = {}): Effects | Refusal {
  try {
    return examineTransaction(envelope, {
      policy: { ...policy, ...change },
      sponsor,
      passphrase,
      now,
    })
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}

export interface Parts {
  readonly source?: string
  /** Around it stands a fee bump of this account. */
  readonly payer?: string | undefined
  readonly fee?: bigint
  readonly maxTime?: bigint
  readonly cond?: xdr.Preconditions
  readonly memo?: xdr.Memo
  readonly soroban?: boolean
}

/** @param operations with the sponsor as their source where they name none, unless `source` is another account */
export function envelopeOf(
  operations: readonly xdr.Operation[],
  { source = sponsor, payer, fee = 1_000n, maxTime = nowSeconds + 60n, ...more }: Parts = {},
): string {
  const timeBounds = new xdr.TimeBounds({ minTime: 0n, maxTime })
  const tx = new xdr.Transaction({
    sourceAccount: muxed(source),
    fee: Number(fee > 0n ? fee : 0n),
    seqNum: 8n,
    cond: more.cond ?? xdr.Preconditions.precondTime(timeBounds),
    memo: more.memo ?? xdr.Memo.memoNone(),
    operations: [...operations],
    ext: more.soroban
      ? xdr.TransactionExt.sorobanData(
          xdr.SorobanTransactionData.fromXdr(transactionData, 'base64'),
        )
      : xdr.TransactionExt.v0(),
  })
  const inner = new xdr.TransactionV1Envelope({ tx, signatures: [] })
  if (payer === undefined) return xdr.TransactionEnvelope.envelopeTypeTx(inner).toXdr('base64')
  return xdr.TransactionEnvelope.envelopeTypeTxFeeBump(
    new xdr.FeeBumpTransactionEnvelope({
      tx: new xdr.FeeBumpTransaction({
        feeSource: muxed(payer),
        fee,
        innerTx: xdr.FeeBumpTransactionInnerTx.envelopeTypeTx(inner),
        ext: xdr.FeeBumpTransactionExt.v0(),
      }),
      signatures: [],
    }),
  ).toXdr('base64')
}

export const muxed = (address: string): xdr.MuxedAccount =>
  xdr.MuxedAccount.keyTypeEd25519(Keypair.fromPublicKey(address).rawPublicKey())

/** A call of a contract. @param credentials of its one authorization entry */
export function callOperation(
  source: string | undefined,
  credentials: xdr.SorobanCredentials = xdr.SorobanCredentials.sorobanCredentialsSourceAccount(),
): xdr.Operation {
  const call = new xdr.InvokeContractArgs({
    contractAddress: Address.contract(Buffer.alloc(32, 1)).toScAddress(),
    functionName: new xdr.XdrString('transfer'),
    args: [],
  })
  const rootInvocation = new xdr.SorobanAuthorizedInvocation({
    function: xdr.SorobanAuthorizedFunction.sorobanAuthorizedFunctionTypeContractFn(call),
    subInvocations: [],
  })
  return new xdr.Operation({
    sourceAccount: source === undefined ? null : muxed(source),
    body: xdr.OperationBody.invokeHostFunction(
      new xdr.InvokeHostFunctionOp({
        hostFunction: xdr.HostFunction.hostFunctionTypeInvokeContract(call),
        auth: [new xdr.SorobanAuthorizationEntry({ credentials, rootInvocation })],
      }),
    ),
  })
}

export const addressCredentials = (address: string): xdr.SorobanAddressCredentials =>
  new xdr.SorobanAddressCredentials({
    address: Address.fromString(address).toScAddress(),
    nonce: 1n,
    signatureExpirationLedger: 9,
    signature: xdr.ScVal.scvVoid(),
  })
