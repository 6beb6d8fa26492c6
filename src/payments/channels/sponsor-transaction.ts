import { asStroops, type Stroops } from '../../platform/core/amounts/stroops.ts'
import type { NetworkId } from '../../platform/core/caip2.ts'
import type { Clock } from '../../platform/core/time/clock.ts'
import type { AnySigner } from '../../stellar/accounts/envelope-signer.ts'
import type { Signer } from '../../stellar/accounts/signer.ts'
import type {
  AccountState,
  ResultCodes,
  StellarRpc,
  TransactionStatus,
} from '../../stellar/rpc/rpc.ts'
import type { ChannelTerms } from '../../stellar/transactions/channel-envelopes.ts'
import type { SignedEnvelope } from '../../stellar/transactions/sign-transaction.ts'
import { type MarkChange, readWithMark } from './sponsor-mark.ts'
import type { TransactionSource } from './transaction-source.ts'

export interface SponsorTransaction {
  readonly network: NetworkId
  readonly sponsor: AnySigner
  /** Pays the fee instead of the sponsor, and is the source unless a channel is; never where a mark is set. */
  readonly payer?: AnySigner | undefined
  /** At most `CHANNELS_PER_ENVELOPE`. */
  readonly channels: readonly Signer[]
  /** Set or removed with them. */
  readonly mark?: MarkChange | undefined
  /** Bid per operation. */
  readonly inclusionFee: Stroops
  readonly rpc: StellarRpc
  readonly clock: Clock
  readonly signal: AbortSignal
  /** Absent when no lease limits this process. */
  readonly tenure?: Tenure | undefined
  /** Leases a channel of who pays as source account. Absent, without a channel, or where a mark is set, who pays is the source. */
  readonly leaseSource?: (() => Promise<TransactionSource | undefined>) | undefined
}

/** Limits a process that may sign only while it holds a lease. */
export interface Tenure {
  /** Validity of a signed transaction; short enough to end before the lease does. */
  readonly validitySeconds: number
  /** Called right before signing, with `validitySeconds`; throws unless the lease lasts as long. */
  assertLasts(seconds: number): void
}

/** The transaction that creates channels, or the one that merges them. */
export interface TransactionKind {
  /** @param sponsor as it was read for this transaction */
  readonly envelope: (terms: ChannelTerms, sponsor: AccountState) => Promise<SignedEnvelope>
  /** Result codes caused by another process that sends the same, or by a busy network. */
  readonly transient: ReadonlySet<string>
  /** The errors to throw: the sponsor does not exist; any other result code. */
  readonly noSponsor: () => Error
  readonly refused: (code: string, balance: Stroops) => Error
}

/**
 * `again`: nothing happened, or another process did it first; the caller reads the ledger and tries again.
 * `because` is a result code, a status of `sendTransaction`, or a short reason.
 */
export type SponsorOutcome =
  | {
      readonly kind: 'done'
      readonly hash: string
      readonly ledger: number | undefined
      /** The fee that the ledger charged the sponsor for it: nothing when another one paid. */
      readonly feeCharged: Stroops
    }
  | {
      readonly kind: 'again'
      readonly because: string
      /** The fee of a transaction that failed in a ledger, as above; 0 when none did. */
      readonly feeCharged: Stroops
    }

const nothing = asStroops(0n)
const again = (because: string, feeCharged = nothing): SponsorOutcome => ({
  kind: 'again',
  because,
  feeCharged,
})

/** Long enough for a busy network to include the transaction, short enough to learn soon that it was lost. */
const VALIDITY_SECONDS = 60
const POLL_INTERVAL_MS = 250
const RESEND_INTERVAL_MS = 1_000

/**
 * Sends one transaction that creates or merges channels, and waits until a ledger includes it. The ledger
 * applies all of its operations or none.
 */
export async function sendForSponsor(
  options: SponsorTransaction,
  kind: TransactionKind,
): Promise<SponsorOutcome> {
  const { sponsor, rpc, signal, mark } = options
  const setsMark = mark?.value !== undefined
  await using leased = setsMark ? undefined : await options.leaseSource?.()
  const payer = options.payer ?? sponsor
  const signers = [sponsor, payer, ...(leased ? [leased.signer] : [])]
  const addresses = [...new Set(signers.map(({ address }) => address))]
  const { accounts, mark: before } = setsMark
    ? await readWithMark(rpc, sponsor.address, [], signal)
    : { accounts: await rpc.accounts(addresses, signal) }
  // When two stores mark the sponsor at once, one uses the sequence number that was read with the old mark; the other's is refused.
  if (setsMark && before !== mark.replaces) return again('another store has marked the sponsor')
  const account = accounts.get(sponsor.address)
  if (!account) throw kind.noSponsor()
  const paying = accounts.get(payer.address)
  if (!paying) return again(`${payer.address}, which is to pay the fee, does not exist`)
  const onLedger = leased && accounts.get(leased.signer.address)
  // After a reset of the network, for instance, the store knows channels that are not there.
  if (leased && !onLedger) leased.ended()
  const source = onLedger && leased
  const sequence = onLedger ? (source?.sequence ?? onLedger.sequence) : paying.sequence
  const signed = await sign(options, kind, { account, source, sequence: sequence + 1n })
  if (!signed) return again('the lease of the source account ends too soon')
  const ofSponsor = (fee: Stroops): Stroops => (payer === sponsor ? fee : nothing)
  const unlessTransient = (
    { resultCode = 'no result code', operationCode }: ResultCodes,
    fee = nothing,
  ) => {
    const code = operationCode ?? resultCode
    if (kind.transient.has(code)) return again(code, ofSponsor(fee))
    throw kind.refused(code, account.balance)
  }
  source?.sent()
  const sent = await rpc.send(signed.envelopeXdr, signal)
  // A transaction with the sponsor as source leaves the sequence number free for the next. A channel waits for a proof: another endpoint
  // may have accepted the transaction.
  if (sent.status === 'TRY_AGAIN_LATER' && !source) return again(sent.status)
  if (sent.status === 'ERROR') {
    source?.ended()
    return unlessTransient(sent)
  }
  const status = await untilKnown(options, signed, sent.status !== 'TRY_AGAIN_LATER')
  if (status?.status === 'SUCCESS') {
    source?.ended(sequence + 1n)
    const { ledger, feeCharged } = status
    return { kind: 'done', hash: signed.hash, ledger, feeCharged: ofSponsor(feeCharged) }
  }
  source?.ended()
  return status?.status === 'FAILED'
    ? unlessTransient(status, status.feeCharged)
    : again('no ledger included it')
}

/** Undefined when the lease of the source ends too soon: this process was stopped, or the network answered late. */
async function sign(
  options: SponsorTransaction,
  kind: TransactionKind,
  from: {
    readonly account: AccountState
    readonly source: TransactionSource | undefined
    readonly sequence: bigint
  },
): Promise<SignedEnvelope | undefined> {
  const { rpc, signal, tenure } = options
  const { closeTime } = await rpc.latestLedger(signal)
  const validitySeconds = tenure?.validitySeconds ?? VALIDITY_SECONDS
  tenure?.assertLasts(validitySeconds)
  // The max time is fixed: however long this process is stopped after this check, the transaction it sends
  // is no longer valid when the lease ends.
  if (from.source?.outlasts(validitySeconds) === false) return undefined
  const terms = {
    ...options,
    source: from.source?.signer,
    sequence: from.sequence,
    maxTime: BigInt(closeTime + validitySeconds),
  }
  return kind.envelope(terms, from.account)
}

/**
 * Undefined when no ledger included it in time.
 * @param isAccepted false: the network was busy, so the envelope is sent again until it is accepted
 */
async function untilKnown(
  { rpc, clock, signal }: SponsorTransaction,
  { envelopeXdr, hash, maxTime }: SignedEnvelope,
  isAccepted: boolean,
): Promise<TransactionStatus | undefined> {
  for (let accepted = isAccepted; ; ) {
    const status = await rpc.transaction(hash, signal)
    if (status.status !== 'NOT_FOUND') return status
    if (BigInt(status.latestCloseTime) > maxTime) return undefined
    await clock.sleep(accepted ? POLL_INTERVAL_MS : RESEND_INTERVAL_MS, signal)
    if (!accepted) accepted = (await rpc.send(envelopeXdr, signal)).status !== 'TRY_AGAIN_LATER'
  }
}
