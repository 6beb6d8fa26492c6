import { jsonOf } from '../../platform/core/errors/read-answer.ts'
import type { Clock } from '../../platform/core/time/clock.ts'
import { DemoFailure } from '../demo-failure.ts'

/** The explorer reads a ledger as soon as it closes. */
const PATIENCE_MS = 60_000
const PAUSE_MS = 100

interface Where {
  readonly explorerUrl: string
  readonly clock: Clock
  readonly signal: AbortSignal
}

/** Reads the explorer's feed until it has the transactions. Throws DemoFailure when it does not get one. */
export async function findPayments(
  txHashes: readonly string[],
  { explorerUrl, clock, signal }: Where,
): Promise<void> {
  const giveUpAt = clock.now() + PATIENCE_MS
  while (true) {
    const shown = new Set(await hashesIn(`${explorerUrl}/feed`, signal))
    const missing = txHashes.find((txHash) => !shown.has(txHash))
    if (missing === undefined) return
    if (clock.now() > giveUpAt) {
      throw new DemoFailure(`the explorer does not show the payment ${missing} at ${explorerUrl}`)
    }
    await clock.sleep(PAUSE_MS, signal)
  }
}

/** Empty too while the explorer does not listen yet: `svc serve` opens it beside payments. */
async function hashesIn(feed: string, signal: AbortSignal): Promise<readonly string[]> {
  try {
    const answer = await fetch(feed, { signal })
    if (!answer.ok) return []
    const { items } = (await jsonOf(answer)) as { items: { txHash: string }[] }
    return items.map(({ txHash }) => txHash)
  } catch {
    signal.throwIfAborted()
    return []
  }
}
