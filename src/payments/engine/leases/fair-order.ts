import type { ClaimFence } from '../../store/settlements/claim/release.ts'

/** A claim that waits for a channel, and the recipient of its payment. */
export interface QueuedClaim extends ClaimFence {
  readonly payTo: string
}

/**
 * Claims in the order in which they should get channels, from those in the order of their arrival: payers in
 * turn, among these recipients in turn, then first come, first served.
 */
export function inFairOrder<T extends { readonly claim: QueuedClaim }>(arrived: readonly T[]): T[] {
  const payers = new Map<string, number>()
  const recipients = new Map<string, number>()
  return arrived
    .map((waiting) => ({ waiting, payerTurn: nextTurn(payers, waiting.claim.key.payer) }))
    .sort((a, b) => a.payerTurn - b.payerTurn)
    .map((turn) => ({ ...turn, payToTurn: nextTurn(recipients, turn.waiting.claim.payTo) }))
    .sort((a, b) => a.payerTurn - b.payerTurn || a.payToTurn - b.payToTurn)
    .map(({ waiting }) => waiting)
}

/** How many times the name has come up, this time included. */
function nextTurn(turns: Map<string, number>, name: string): number {
  const turn = (turns.get(name) ?? 0) + 1
  turns.set(name, turn)
  return turn
}
