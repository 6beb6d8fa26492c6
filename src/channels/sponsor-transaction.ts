import type { Clock } from '../core/clock.ts'
import type { Stroops } from '../core/stroops.ts'
import type { ChannelTerms, SignedEnvelope } from '../stellar/channel-envelopes.ts'
import type { ResultCodes, StellarRpc, TransactionStatus } from '../stellar/rpc.ts'
import type { Signer } from '../stellar/signer.ts'

export interface SponsorTransaction {
  readonly passphrase: string
  readonly sponsor: Signer
  /** At most `CHANNELS_PER_ENVELOPE`. */
  readonly channels: readonly Signer[]
  /** Bid per operation. */
  readonly inclusionFee: Stroops
  readonly rpc: StellarRpc
  readonly clock: Clock
  readonly signal: AbortSignal
  /** Absent when no lease limits this process. */
  readonly tenure?: Tenure | undefined
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
  readonly envelope: (terms: ChannelTerms) => SignedEnvelope
  /** Result codes caused by another process that sends the same, or by a busy network. */
  readonly transient: ReadonlySet<string>
  /** The errors to throw: the sponsor does not exist; any other result code. */
  readonly noSponsor: () => Error
  readonly refused: (code: string, balance: Stroops) => Error
}

/** `again`: nothing happened, or another process did it first; the caller reads the ledger and tries again. */
export type SponsorOutcome =
  | { readonly kind: 'done'; readonly hash: string; readonly ledger: number | undefined }
  | { readonly kind: 'again' }

const again: SponsorOutcome = { kind: 'again' }

/** Long enough for a busy network to include the transaction, short enough to learn soon that it was lost. */
const VALIDITY_SECONDS = 60
const POLL_INTERVAL_MS = 250

/**
 * Sends one transaction that creates or merges channels, and waits until a ledger includes it. The ledger
 * applies all of its operations or none.
 */
export async function sendForSponsor(
  options: SponsorTransaction,
  kind: TransactionKind,
): Promise<SponsorOutcome> {
  const { sponsor, rpc, signal, tenure } = options
  const account = (await rpc.accounts([sponsor.address], signal)).get(sponsor.address)
  if (!account) throw kind.noSponsor()
  const { closeTime } = await rpc.latestLedger(signal)
  const validitySeconds = tenure?.validitySeconds ?? VALIDITY_SECONDS
  const maxTime = closeTime + validitySeconds
  tenure?.assertLasts(validitySeconds)
  const envelope = kind.envelope({
    ...options,
    sequence: account.sequence + 1n,
    maxTime: BigInt(maxTime),
  })
  const unlessTransient = ({ resultCode = 'no result code', operationCode }: ResultCodes) => {
    const code = operationCode ?? resultCode
    if (kind.transient.has(code)) return again
    throw kind.refused(code, account.balance)
  }
  const sent = await rpc.send(envelope.envelopeXdr, signal)
  if (sent.status === 'TRY_AGAIN_LATER') return again
  if (sent.status === 'ERROR') return unlessTransient(sent)

  const status = await untilKnown(options, envelope.hash, maxTime)
  if (status?.status === 'SUCCESS') {
    return { kind: 'done', hash: envelope.hash, ledger: status.ledger }
  }
  return status?.status === 'FAILED' ? unlessTransient(status) : again
}

/** Undefined when no ledger included it in time. */
async function untilKnown(
  { rpc, clock, signal }: SponsorTransaction,
  hash: string,
  maxTime: number,
): Promise<TransactionStatus | undefined> {
  for (;;) {
    const status = await rpc.transaction(hash, signal)
    if (status.status !== 'NOT_FOUND') return status
    if (status.latestCloseTime > maxTime) return undefined
    await clock.sleep(POLL_INTERVAL_MS, signal)
  }
}
