/**
 * Transactions that create and merge channel accounts. A channel holds no lumens: the sponsor pays its
 * reserve (CAP-33) and gets it back when the channel is merged.
 *
 * stellar-core accepts no classic transaction whose source account is source or fee source of a pending
 * Soroban transaction (`HerderImpl::recvTransaction`), and the sponsor is the fee source of every settlement.
 * Another account of the transaction may be: hence the source is a channel while others settle, and the
 * sponsor only the fee source.
 */
import { xdr } from '@stellar/stellar-sdk'
import { asStroops, type Stroops } from '../../platform/core/amounts/stroops.ts'
import type { NetworkId } from '../../platform/core/caip2.ts'
import { manageDataBody } from '../accounts/data-entry.ts'
import type { AnySigner, SigningPurpose } from '../accounts/envelope-signer.ts'
import type { Signer } from '../accounts/signer.ts'
import { toHex } from '../accounts/signing.ts'
import { publicKeyOf } from '../accounts/strkey.ts'
import {
  envelopeOf,
  type SignedEnvelope,
  signFeeBump,
  signTransaction,
} from './sign-transaction.ts'

/** An envelope holds up to 20 signatures: the sponsor's, the source's, and one of each channel. */
export const CHANNELS_PER_ENVELOPE = 18

export interface ChannelTerms {
  readonly network: NetworkId
  /** Pays the reserves, and the fee unless another one does. */
  readonly sponsor: AnySigner
  /** Pays the fee instead of the sponsor, which may have nothing left. */
  readonly payer?: AnySigner | undefined
  /**
   * A channel as source of the transaction, so that its sequence number is used; the payer then pays through a fee
   * bump. Absent: the payer is the source.
   */
  readonly source?: Signer | undefined
  /** Sequence number of this transaction: one more than the source account's. */
  readonly sequence: bigint
  /** At most `CHANNELS_PER_ENVELOPE`; to create or merge, at least one without `mark`. */
  readonly channels: readonly Signer[]
  /** A data entry of the sponsor that is set with the channels, or without a value removed. */
  readonly mark?: DataChange | undefined
  /** Bid per operation. */
  readonly inclusionFee: Stroops
  /** Unix seconds after which the network refuses the transaction. */
  readonly maxTime: bigint
}

export interface SponsorPayment {
  readonly destination: string
  readonly amount: Stroops
}

export interface DataChange {
  readonly name: string
  readonly value: string | undefined
}

/** Creates all channels or none, with balance zero and sponsored reserves. */
export const provisionEnvelope = (terms: ChannelTerms): Promise<SignedEnvelope> =>
  sign(
    terms,
    markOperation(terms).concat(
      terms.channels.flatMap((channel) => [
        operation(
          terms.sponsor,
          xdr.OperationBody.beginSponsoringFutureReserves(
            new xdr.BeginSponsoringFutureReservesOp({ sponsoredId: accountId(channel) }),
          ),
        ),
        operation(
          terms.sponsor,
          xdr.OperationBody.createAccount(
            new xdr.CreateAccountOp({ destination: accountId(channel), startingBalance: 0n }),
          ),
        ),
        operation(channel, xdr.OperationBody.endSponsoringFutureReserves()),
      ]),
    ),
    { purpose: 'channels', by: [terms.sponsor, ...terms.channels] },
  )

/**
 * Merges all channels or none into the sponsor, which frees the reserves it sponsors. @param payment of the sponsor in the same
 * transaction: so nobody else can first spend the XLM that the merges free
 */
export const retireEnvelope = (
  terms: ChannelTerms,
  payment?: SponsorPayment,
): Promise<SignedEnvelope> =>
  sign(
    terms,
    [
      ...terms.channels.map((channel) =>
        operation(channel, xdr.OperationBody.accountMerge(muxed(terms.sponsor))),
      ),
      ...markOperation(terms),
      ...(payment ? [paymentOperation(terms.sponsor, payment)] : []),
    ],
    {
      purpose: payment ? 'rotation' : 'channels',
      by: terms.mark || payment ? [terms.sponsor, ...terms.channels] : terms.channels,
    },
  )

/** The whole balance of the sponsor goes to another account, and its own account ends. */
export const mergeSponsorEnvelope = (
  terms: ChannelTerms,
  destination: string,
): Promise<SignedEnvelope> =>
  sign(
    terms,
    [
      operation(
        terms.sponsor,
        xdr.OperationBody.accountMerge(xdr.MuxedAccount.keyTypeEd25519(publicKeyOf(destination))),
      ),
    ],
    { purpose: 'rotation', by: [terms.sponsor] },
  )

/** XLM of the sponsor go to another account. */
export const paySponsorsEnvelope = (
  terms: ChannelTerms,
  payment: SponsorPayment,
): Promise<SignedEnvelope> =>
  sign(terms, [paymentOperation(terms.sponsor, payment)], {
    purpose: 'rotation',
    by: [terms.sponsor],
  })

/** Another sponsor takes over the reserve of an account that this one pays (CAP-33). The account itself stays as it is. */
export const handOverEnvelope = (
  terms: ChannelTerms,
  { to, account }: { readonly to: AnySigner; readonly account: string },
): Promise<SignedEnvelope> =>
  sign(
    terms,
    [
      operation(
        to,
        xdr.OperationBody.beginSponsoringFutureReserves(
          new xdr.BeginSponsoringFutureReservesOp({ sponsoredId: accountId(terms.sponsor) }),
        ),
      ),
      operation(
        terms.sponsor,
        xdr.OperationBody.revokeSponsorship(
          xdr.RevokeSponsorshipOp.revokeSponsorshipLedgerEntry(
            xdr.LedgerKey.account(
              new xdr.LedgerKeyAccount({
                accountId: xdr.PublicKey.publicKeyTypeEd25519(publicKeyOf(account)),
              }),
            ),
          ),
        ),
      ),
      operation(terms.sponsor, xdr.OperationBody.endSponsoringFutureReserves()),
    ],
    { purpose: 'rotation', by: [to, terms.sponsor] },
  )

const paymentOperation = (
  sponsor: AnySigner,
  { destination, amount }: SponsorPayment,
): xdr.Operation =>
  operation(
    sponsor,
    xdr.OperationBody.payment(
      new xdr.PaymentOp({
        destination: xdr.MuxedAccount.keyTypeEd25519(publicKeyOf(destination)),
        asset: xdr.Asset.assetTypeNative(),
        amount,
      }),
    ),
  )

const markOperation = ({ sponsor, mark }: ChannelTerms): xdr.Operation[] =>
  mark ? [operation(sponsor, manageDataBody(mark.name, mark.value))] : []

const accountId = ({ publicKey }: AnySigner) => xdr.PublicKey.publicKeyTypeEd25519(publicKey)
const muxed = ({ publicKey }: AnySigner) => xdr.MuxedAccount.keyTypeEd25519(publicKey)

const operation = (source: AnySigner, body: xdr.OperationBody): xdr.Operation =>
  new xdr.Operation({ sourceAccount: muxed(source), body })

/** @param by accounts whose signatures the network requires, beside that of the transaction's source */
async function sign(
  terms: ChannelTerms,
  operations: xdr.Operation[],
  { purpose, by }: { readonly purpose: SigningPurpose; readonly by: readonly AnySigner[] },
): Promise<SignedEnvelope> {
  const { network, channels, sequence, inclusionFee, maxTime } = terms
  if (operations.length === 0 || channels.length > CHANNELS_PER_ENVELOPE) {
    throw new RangeError(
      `one envelope takes 1 to ${CHANNELS_PER_ENVELOPE} channels, not ${channels.length}`,
    )
  }
  const payer = terms.payer ?? terms.sponsor
  const { source = payer } = terms
  const fee = asStroops(inclusionFee * BigInt(operations.length))
  const tx = new xdr.Transaction({
    sourceAccount: muxed(source),
    fee: Number(fee),
    seqNum: sequence,
    cond: xdr.Preconditions.precondTime(new xdr.TimeBounds({ minTime: 0n, maxTime })),
    memo: xdr.Memo.memoNone(),
    operations,
    ext: xdr.TransactionExt.v0(),
  })
  const context = { network, purpose }
  const inner = await signTransaction(tx, context, [source, ...by])
  if (source === payer) {
    const hash = toHex(inner.hash)
    return { envelopeXdr: envelopeOf(inner.signed), hash, totalFee: fee, maxTime }
  }
  // A fee bump counts as one more operation (CAP-15).
  const totalFee = asStroops(inclusionFee * BigInt(operations.length + 1))
  const { envelope, hash } = await signFeeBump(inner, context, { payer, fee: totalFee })
  return { envelopeXdr: envelope.toXdr('base64'), hash, totalFee, maxTime }
}
