/** A tenant's database and endpoints choose what a blocker quotes. */
import { expect, test } from 'vitest'
import { PoolBlocked } from '../../../../../../src/kubernetes/operator/channel-pool/connect/blockers.ts'
import { blockerOf } from '../../../../../../src/kubernetes/operator/channel-pool/connect/connect.ts'
import { ownedByAnother } from '../../../../../../src/kubernetes/operator/channel-pool/connect/ownership.ts'
import { conditionsOfBlocker } from '../../../../../../src/kubernetes/operator/channel-pool/status/conditions.ts'
import { stalledBy } from '../../../../../../src/kubernetes/operator/channel-pool/status/report.ts'
import { writtenConditions } from '../../../../../../src/kubernetes/operator/reporting/report.ts'
import { StoreUnavailable } from '../../../../../../src/platform/database/postgres/unavailable.ts'

const long = 'A. '.repeat(330_000)
const spec = {} as Parameters<typeof blockerOf>[1]

test('the message of a blocker is as short as that of a condition from the beginning', () => {
  const conflict = new PoolBlocked('Conflict', ownedByAnother({ name: long, sponsor: 'G' }))
  expect(conflict.message).toHaveLength(1_024)
  expect(blockerOf(conflict, spec)?.message).toHaveLength(1_024)
  expect(blockerOf(new StoreUnavailable(new Error(long)), spec)?.message).toHaveLength(1_024)
  for (const { message } of conditionsOfBlocker(conflict)) {
    expect(message.length).toBeLessThanOrEqual(1_024)
  }
})

test('a long message of any condition keeps the operator no longer than a short one', () => {
  const conflict = new PoolBlocked('Conflict', 'short')
  const conditions = conditionsOfBlocker(conflict).map((each) => ({ ...each, message: long }))
  const before = process.cpuUsage()
  const written = writtenConditions(conditions, stalledBy)
  expect(process.cpuUsage(before).user).toBeLessThan(100_000)
  for (const { message } of written) expect(message.length).toBeLessThanOrEqual(1_024)
})
