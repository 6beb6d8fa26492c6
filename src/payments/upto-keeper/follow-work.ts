import type { Clock } from '../../platform/core/time/clock.ts'
import type { StellarRpc } from '../../stellar/rpc/rpc.ts'
import { RpcError } from '../../stellar/rpc/rpc.ts'
import { type LedgerOutcome, ledgerOutcome } from '../engine/follow/ledger-outcome.ts'
import type { KeeperEnvelope } from '../store/upto/keeper-transactions.ts'

export interface FollowOptions {
  readonly rpc: Pick<StellarRpc, 'send' | 'transaction'>
  readonly clock: Clock
  readonly signal: AbortSignal
}

const POLL_INTERVAL_MS = 500
/** Polls between two sends, as for settlements: together less than a ledger. */
const RESEND_EVERY = 6

export type FollowedOutcome = Exclude<LedgerOutcome, { readonly kind: 'waiting' }>

/**
 * Looks for a recorded transaction until its outcome is certain, and sends it again meanwhile. Throws RpcError when the
 * transaction cannot be looked up: call it again later.
 */
export async function followWork(
  { rpc, clock, signal }: FollowOptions,
  { hash, envelopeXdr, maxTime, recordedAtLedger }: KeeperEnvelope,
): Promise<FollowedOutcome> {
  for (let poll = 0; ; poll += 1) {
    const status = await rpc.transaction(hash, signal)
    const outcome = ledgerOutcome(status, { maxTime, recordedAtLedger })
    if (outcome.kind !== 'waiting') return outcome
    if (poll % RESEND_EVERY === 0) await sendAgain(rpc, envelopeXdr, signal)
    await clock.sleep(POLL_INTERVAL_MS, signal)
  }
}

/** The answer proves nothing: the same bytes may be in the network's queue, or in a ledger by now. */
async function sendAgain(rpc: Pick<StellarRpc, 'send'>, envelopeXdr: string, signal: AbortSignal) {
  await rpc.send(envelopeXdr, signal).catch((error: unknown) => {
    if (!(error instanceof RpcError)) throw error
  })
}
