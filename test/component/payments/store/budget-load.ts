import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { abandonExpiredClaims } from '../../../../src/payments/store/settlements/claim/abandon-expired-claims.ts'
import type { ClaimRequest } from '../../../../src/payments/store/settlements/claim/claim-request.ts'
import { claimBatch } from '../../../../src/payments/store/settlements/claim/claim-with-channel.ts'
import { releaseClaim } from '../../../../src/payments/store/settlements/claim/release.ts'
import { finishBatch } from '../../../../src/payments/store/settlements/transitions/finish.ts'
import { recordBatch } from '../../../../src/payments/store/settlements/transitions/record.ts'
import { asStroops } from '../../../../src/platform/core/amounts/stroops.ts'
import { asUsdUnits } from '../../../../src/platform/core/amounts/usd.ts'
import { openStore, type Store } from '../../../../src/platform/database/open.ts'
import { freshDatabase } from '../../../support/postgres.ts'
import { addChannels, claimRequest, ending, fence, NO_TIME, recording, sha256 } from './builders.ts'

const PAYMENTS = 600
const AT_ONCE = 60
const hourly = 600_000n
const keyShare = 420_000n
const callers = ['busy', 'busy', 'busy', 'calm'] as const

/** Draws the same numbers from the same seed. */
function numbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * below)
  }
}

interface Sums {
  readonly total: bigint
  readonly rows: bigint
  readonly busy: bigint
  readonly busyRows: bigint
}

/** The totals and the sums over the rows, of one snapshot. */
async function sums({ db }: Store): Promise<Sums> {
  const result = await sql<Sums>`
    with fees as (
      select caller, case when state in ('claimed', 'submitted') then fee_committed
        else coalesce(fee_charged, 0) end as fee from settlements)
    select
      (select coalesce(sum(fees), 0) from fee_totals where caller = '')::bigint as total,
      (select coalesce(sum(fee), 0) from fees)::bigint as rows,
      (select coalesce(sum(fees), 0) from fee_totals where caller = 'busy')::bigint as busy,
      (select coalesce(sum(fee), 0) from fees where caller = 'busy')::bigint as "busyRows"`.execute(
    db,
  )
  const [row] = result.rows
  if (!row) throw new Error('an aggregate has no row')
  return row
}

/** A suite of one load for each seed. */
export function loadBudget(seeds: readonly number[]): void {
  it.each(seeds)(
    'is never exceeded, and totals equal the rows at all times: seed %i',
    async (seed) => {
      await using database = await freshDatabase()
      const open = () => openStore({ kind: 'postgres', url: database.url, poolSize: 8 })
      await using one = await open()
      await using two = await open()
      await addChannels(one, AT_ONCE)
      const replicas = [one, two].map((store, index) => ({
        store,
        owner: `${index}`,
        claims: claimBatch(store.db),
        records: recordBatch(store.db),
        finishes: finishBatch(store.db),
      }))
      const below = numbers(seed)
      const outcomes = new Map<string, number>()

      const settle = async (nonce: string) => {
        const replica = replicas[below(2)]
        if (!replica) throw new Error('there are two replicas')
        const { store, owner, claims, records, finishes } = replica
        const fee = 1_000n + BigInt(below(40_000))
        const isDying = below(6) === 0
        const request: ClaimRequest = claimRequest(nonce, {
          owner,
          budget: { fee: asStroops(fee), hourly: asStroops(hourly), keyShare: asStroops(keyShare) },
          metering: { caller: callers[below(4)] ?? 'calm', serviceFee: asUsdUnits(0n) },
          ...(isDying && { claimTtlMs: NO_TIME, leaseTtlMs: NO_TIME }),
        })
        const claim = await claims.write(request)
        outcomes.set(claim.kind, (outcomes.get(claim.kind) ?? 0) + 1)
        if (claim.kind !== 'claimed' || isDying) return
        const { attempt, channel } = claim
        const mine = fence(nonce, { owner, attempt })
        if (!channel || below(3) === 0) {
          await releaseClaim(store.db, mine)
          return
        }
        const envelope = {
          ...mine,
          channel: channel.account,
          txHash: sha256(`${nonce}/${attempt}`),
        }
        expect(await records.write(recording(nonce, envelope))).toBe(true)
        const feeCharged = below(4) === 0 ? undefined : asStroops(BigInt(below(Number(fee) / 4)))
        const state = feeCharged === undefined ? 'expired' : 'succeeded'
        await finishes.write(ending(nonce, { attempt, state, feeCharged }))
      }

      let isOver = false
      const watching = (async () => {
        for (; !isOver; ) {
          const { total, rows, busy, busyRows } = await sums(one)
          expect([total, busy]).toEqual([rows, busyRows])
          expect(total).toBeLessThanOrEqual(hourly)
          expect(busy).toBeLessThanOrEqual(keyShare)
        }
      })()
      // Some payments more than once: they take over what was released or abandoned, or repeat.
      const payments = Array.from({ length: PAYMENTS }, () => `${below((PAYMENTS * 3) / 4)}`)
      const line = async () => {
        for (let next = payments.pop(); next !== undefined; next = payments.pop()) {
          await settle(next)
          if (below(20) === 0) await abandonExpiredClaims(two.db)
        }
      }
      try {
        await Promise.all(Array.from({ length: AT_ONCE }, line))
      } finally {
        isOver = true
      }
      await watching

      expect([...outcomes.keys()].toSorted()).toEqual(
        expect.arrayContaining(['claimed', 'existing', 'over_budget', 'over_key_share']),
      )
      const { total, rows } = await sums(one)
      expect(total).toBe(rows)
    },
  )
}
