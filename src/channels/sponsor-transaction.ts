import type { Clock } from '../core/clock.ts'
import type { Stroops } from '../core/stroops.ts'
import type { ChannelTerms, SignedEnvelope } from '../stellar/channel-envelopes.ts'
import type { ResultCodes, StellarRpc, TransactionStatus } from '../stellar/rpc.ts'
import type { Signer } from '../stellar/signer.ts'

export interface SponsorTransaction {
  readonly passphrase: string
  readonly sponsor: Signer
  /** At most what one envelope takes. */
  readonly channels: readonly Signer[]
  /** Bid per operation. */
  readonly inclusionFee: Stroops
  readonly rpc: StellarRpc
  readonly clock: Clock
  readonly signal: AbortSignal
  /** Absent: nobody else acts for the sponsor in a way that matters. */
  readonly tenure?: Tenure | undefined
}

/** How long whoever signs may act, as when a lease decides who does. */
export interface Tenure {
  /** What is signed lives for so long: short enough to be over before the tenure is. */
  readonly validitySeconds: number
  /** Asked right before signing, for as long as that; throws unless its caller may act until then. */
  mayAct(seconds: number): void
}

/** What is done to the channels. */
export interface ChannelWork {
  readonly envelope: (terms: ChannelTerms) => SignedEnvelope
  /** Result codes that another process at the same work, or a busy network, explains. */
  readonly passing: ReadonlySet<string>
  /** What to throw when the sponsor is on no ledger, and on any other result. */
  readonly noSponsor: () => Error
  readonly refused: (code: string, balance: Stroops) => Error
}

/** `again`: nothing was done, or another process was faster; look and see. */
export type SponsorOutcome =
  | { readonly kind: 'done'; readonly hash: string; readonly ledger: number | undefined }
  | { readonly kind: 'again' }

const again: SponsorOutcome = { kind: 'again' }

/** Long enough to be taken in, short enough that a lost one is soon known to be lost. */
const VALIDITY_SECONDS = 60
const LOOK_AGAIN_MS = 250

/**
 * Sends one transaction of the sponsor's about some channels and waits until the ledger has it:
 * all or none of it happened.
 */
export async function sendForSponsor(
  options: SponsorTransaction,
  work: ChannelWork,
): Promise<SponsorOutcome> {
  const { sponsor, rpc, signal, tenure } = options
  const account = (await rpc.accounts([sponsor.address], signal)).get(sponsor.address)
  if (!account) throw work.noSponsor()
  const { closeTime } = await rpc.latestLedger(signal)
  const validitySeconds = tenure?.validitySeconds ?? VALIDITY_SECONDS
  const maxTime = closeTime + validitySeconds
  tenure?.mayAct(validitySeconds)
  const envelope = work.envelope({
    ...options,
    sequence: account.sequence + 1n,
    maxTime: BigInt(maxTime),
  })
  const unlessPassing = ({ resultCode = 'no result code', operationCode }: ResultCodes) => {
    const code = operationCode ?? resultCode
    if (work.passing.has(code)) return again
    throw work.refused(code, account.balance)
  }
  const sent = await rpc.send(envelope.envelopeXdr, signal)
  if (sent.status === 'TRY_AGAIN_LATER') return again
  if (sent.status === 'ERROR') return unlessPassing(sent)

  const status = await untilKnown(options, envelope.hash, maxTime)
  if (status?.status === 'SUCCESS') {
    return { kind: 'done', hash: envelope.hash, ledger: status.ledger }
  }
  return status?.status === 'FAILED' ? unlessPassing(status) : again
}

/** Undefined when no ledger took it in time. */
async function untilKnown(
  { rpc, clock, signal }: SponsorTransaction,
  hash: string,
  maxTime: number,
): Promise<TransactionStatus | undefined> {
  for (;;) {
    const status = await rpc.transaction(hash, signal)
    if (status.status !== 'NOT_FOUND') return status
    if (status.latestCloseTime > maxTime) return undefined
    await clock.sleep(LOOK_AGAIN_MS, signal)
  }
}
