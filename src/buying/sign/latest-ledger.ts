import type { Clock } from '../../platform/core/time/clock.ts'
import type { LedgerTip } from '../../stellar/rpc/rpc.ts'
import { rpcClient } from '../../stellar/rpc/rpc-client.ts'
import type { Offer } from '../offer/offer.ts'
import { PayFailure } from '../outcome/pay-failure.ts'
import type { Wallet } from './sign-payment.ts'
import { whyNotSigned } from './why-not-signed.ts'

interface Options {
  readonly clock: Clock
  readonly signal?: AbortSignal | undefined
}

/**
 * The latest ledger: no authorization that is signed afterwards can be in it. It is the word of the wallet's RPC, on which the search
 * for the payment depends: a number that cannot be true is refused. Throws PayFailure, and the reason of the signal.
 */
export async function latestLedger(
  { network, terms: accepted }: Offer,
  wallet: Wallet,
  { clock, signal }: Options,
): Promise<number> {
  const { rpcUrl, signer } = wallet
  let tip: LedgerTip
  try {
    tip = await rpcClient({ url: rpcUrl }).latestLedger(signal)
  } catch (error) {
    signal?.throwIfAborted()
    throw await whyNotSigned(error, { rpcUrl, network, payer: signer.address, accepted, clock })
  }
  const seen = { sequence: tip.sequence, atMs: clock.now() }
  const before = lastSeen.get(wallet)
  const problem = wrongTime(tip, seen.atMs) ?? (before && wrongNumber(seen, before))
  if (problem) throw implausible(rpcUrl, tip.sequence, problem)
  if (!before || seen.sequence > before.sequence) lastSeen.set(wallet, seen)
  return tip.sequence
}

interface SeenLedger {
  readonly sequence: number
  readonly atMs: number
}

/** The newest one that each wallet has seen. */
const lastSeen = new WeakMap<Wallet, SeenLedger>()

/** Clocks that are never corrected are off by less. An RPC that is this far behind has no use: a payment signed by its ledger has nearly expired. */
const MAX_OFF_MS = 600_000
/** Replicas behind one address differ by less. */
const MAX_BEHIND = 20
/** An hour of ledgers, beside one a second, which is faster than any network closes them. */
const MAX_AHEAD = 720

interface Problem {
  readonly says: string
  readonly hint: string
}

function wrongTime({ closeTime }: LedgerTip, nowMs: number): Problem | undefined {
  const offMs = nowMs - closeTime * 1_000
  if (Math.abs(offMs) <= MAX_OFF_MS) return undefined
  const off = `${Math.round(Math.abs(offMs) / 60_000)} minutes ${offMs > 0 ? 'ago' : 'ahead'}`
  return {
    says: `which closed ${off} by the clock of this machine`,
    hint: 'Set the clock, or name another Stellar RPC.',
  }
}

function wrongNumber({ sequence, atMs }: SeenLedger, before: SeenLedger): Problem | undefined {
  const passed = Math.max(0, Math.ceil((atMs - before.atMs) / 1_000))
  const isBehind = sequence < before.sequence - MAX_BEHIND
  const isAhead = sequence > before.sequence + passed + MAX_AHEAD
  if (!isBehind && !isAhead) return undefined
  return {
    says: `and ${passed} s before it was ${before.sequence}`,
    hint: 'Name another Stellar RPC, or start again if the network was reset.',
  }
}

function implausible(rpcUrl: string, sequence: number, { says, hint }: Problem): PayFailure {
  const message = `the Stellar RPC ${new URL(rpcUrl).origin} says that the latest ledger is ${sequence}, ${says}`
  return new PayFailure('rpc_implausible', message, { hint: `Nothing was paid. ${hint}` })
}
