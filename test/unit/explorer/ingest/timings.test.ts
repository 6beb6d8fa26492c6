import { describe, expect, it } from 'vitest'
import type { IngestOptions } from '../../../../src/explorer/ingest/ingest-options.ts'
import { defaultIngestTimings } from '../../../../src/explorer/ingest/timings.ts'

describe('the times of ingest', () => {
  const timings: Required<NonNullable<IngestOptions['timings']>> = defaultIngestTimings

  it('let two renewals of the lease fail before another process takes it', () => {
    expect(3 * timings.renewLeaseMs).toBeLessThan(timings.leaseTtlMs)
  })

  it('let every endpoint answer before a reset counts: the pool asks an unused one after 30 s', () => {
    expect(timings.confirmResetMs).toBeGreaterThan(30_000 + 2 * timings.irregularPollMs)
  })

  it('jump only over more ledgers than the tail starts behind', () => {
    expect(timings.maxTailLagLedgers).toBeGreaterThan(timings.tailLedgers)
  })
})
