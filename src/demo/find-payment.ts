import type { Clock } from '../core/clock.ts'
import { DemoFailure } from './demo-failure.ts'

/** The explorer reads a ledger as soon as it closes. */
const PATIENCE_MS = 60_000
const PAUSE_MS = 100

interface Where {
  readonly explorerUrl: string
  readonly clock: Clock
  readonly signal: AbortSignal
}

/** Reads the explorer's feed until it has the transaction. Throws DemoFailure when it does not get it. */
export async function findPayment(
  txHash: string,
  { explorerUrl, clock, signal }: Where,
): Promise<void> {
  const giveUpAt = clock.now() + PATIENCE_MS
  while (!(await hashesIn(`${explorerUrl}/feed`, signal)).includes(txHash)) {
    if (clock.now() > giveUpAt) {
      throw new DemoFailure(`the explorer does not show the payment ${txHash} at ${explorerUrl}`)
    }
    await clock.sleep(PAUSE_MS, signal)
  }
}

/** Empty too while the explorer does not listen yet: `svc serve` opens it beside payments. */
async function hashesIn(feed: string, signal: AbortSignal): Promise<readonly string[]> {
  try {
    const answer = await fetch(feed, { signal })
    if (!answer.ok) return []
    const { items } = (await answer.json()) as { items: { txHash: string }[] }
    return items.map(({ txHash }) => txHash)
  } catch {
    signal.throwIfAborted()
    return []
  }
}
