/**
 * A pool rotates from sponsor to sponsor while stock buyers pay: once in `make test-long`, many times in a row with
 * `tools/chaos/rotation.ts`.
 */
import { expect, vi } from 'vitest'
import { countUnfinished } from '../../../src/payments/store/settlements/count-unfinished.ts'
import { expectNothingLost, type Load, underLoad } from '../../e2e/support/load.ts'
import { lines, notInstalled } from '../../support/stock/sellers-folder.ts'
import { firstSponsor } from '../kubernetes/operator/channel-pool/rotation/rotation-world.ts'
import { test } from '../support/cluster-test.ts'
import { openLoadWorld } from './support/load-world.ts'
import { countPart } from './support/rotation-load.ts'
import {
  limitMs,
  maxTimeoutSeconds,
  plannedFaults,
  reportRow,
  worldOptions,
} from './support/rotation-plan.ts'
import { playRound, type RoundResult } from './support/rotation-round.ts'

/** Between two rotations. */
const PAYMENTS_BETWEEN = 5
const missing = notInstalled(lines[0])
const late = { timeout: 240_000, interval: 200 }

test('a pool rotates again and again under load, whatever happens to its replicas meanwhile', {
  timeout: limitMs,
}, async ({ fakeNodes: cluster, skip }) => {
  if (missing !== undefined) return skip(missing)
  await using world = await openLoadWorld(cluster, worldOptions)
  const results: RoundResult[] = []
  let payments: Load['records'] = []
  const count = ({ startLedger, period }: RoundResult) =>
    countPart(world.rpcUrl, payments, startLedger, period)
  const rotations = async (load: Load) => {
    payments = load.records
    let sponsor = firstSponsor(world)
    for await (const fault of plannedFaults(world)) {
      const result = await playRound(world, load, sponsor, `sponsor-${results.length + 1}`, fault)
      results.push(result)
      sponsor = result.sponsor
      await load.paid(PAYMENTS_BETWEEN)
      reportRow(results.length, result, await count(result), false)
    }
    return `${results.length} rotations`
  }
  const row = await underLoad(world, 'rotation', rotations, {
    maxTimeoutSeconds,
    isReported: false,
  })

  for (const [index, result] of results.entries()) {
    const counts = await count(result)
    reportRow(index + 1, result, counts, true)
    expect({ index, stroopsOff: result.stroopsOff }).toEqual({ index, stroopsOff: 0n })
    if (!result.fault.interruptsService) {
      expect({ index, ...counts }).toMatchObject({ failed: 0, channelless: 0, details: [] })
    }
  }
  expectNothingLost(row)
  await vi.waitFor(async () => {
    const none = { claimed: 0, lapsed: 0, submitted: 0, unresolvable: 0 }
    expect(await countUnfinished(world.store.db, 'stellar:testnet')).toEqual(none)
  }, late)
})
