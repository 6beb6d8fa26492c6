import { describe, expect, it } from 'vitest'
import { LedgerRhythm } from '../../../../../src/explorer/ingest/pace/ledger-rhythm.ts'
import { defaultIngestTimings } from '../../../../../src/explorer/ingest/timings.ts'

/** Closes a ledger at each of these times, and polls as told; returns requests and the longest wait for a ledger. */
function follow(closesMs: readonly number[]) {
  const rhythm = new LedgerRhythm(defaultIngestTimings)
  const seen = new Set<number>()
  let [requests, longestMs, now] = [0, 0, 0]
  const end = closesMs.at(-1) ?? 0
  while (now <= end) {
    requests += 1
    const ledger = closesMs.filter((at) => at <= now).length
    const closedAt = closesMs[ledger - 1] ?? 0
    if (!seen.has(ledger)) longestMs = Math.max(longestMs, now - closedAt)
    seen.add(ledger)
    rhythm.observe(ledger + 100, now)
    now += rhythm.pauseMs(now)
  }
  return { requests, longestMs }
}

const every = (ms: number, ledgers: number) =>
  Array.from({ length: ledgers }, (_, index) => (index + 1) * ms)

describe('LedgerRhythm', () => {
  it('needs about two requests a ledger once it knows the network, and sees each at once', () => {
    const ledgers = 200
    const { requests, longestMs } = follow(every(5_000, ledgers))
    // Before it knows the interval it asks four times a second.
    expect(requests - 3 * 20).toBeLessThan(2.5 * ledgers)
    expect(longestMs).toBeLessThanOrEqual(500)
  })

  it('sees each ledger within a second when they vary by as much, or come by chance', () => {
    const varying = every(5_500, 100).map((at, index) => at + (index % 3) * 500)
    expect(follow(varying).longestMs).toBeLessThanOrEqual(1_000)
    const byChance = every(10_000, 50).flatMap((at, index) => [at, at + 400 + index * 100])
    expect(follow(byChance).longestMs).toBeLessThanOrEqual(1_000)
  })
})
