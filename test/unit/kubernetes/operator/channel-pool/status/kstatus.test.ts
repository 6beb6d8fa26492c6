import { expect, test } from 'vitest'
import type { ChannelPoolCondition } from '../../../../../../src/kubernetes/crd/channel-pool/conditions.ts'
import { PoolBlocked } from '../../../../../../src/kubernetes/operator/channel-pool/connect/blockers.ts'
import {
  conditionsOf,
  conditionsOfBlocker,
} from '../../../../../../src/kubernetes/operator/channel-pool/status/conditions.ts'
import { stalledBy } from '../../../../../../src/kubernetes/operator/channel-pool/status/report.ts'
import { writtenConditions } from '../../../../../../src/kubernetes/operator/reporting/report.ts'
import { kstatusOf } from '../../../../../support/kstatus.ts'
import { noFunds, result } from '../results.ts'

const blocked = (reason: ConstructorParameters<typeof PoolBlocked>[0]) =>
  conditionsOfBlocker(new PoolBlocked(reason, 'It is blocked.'))
const hash = 'a'.repeat(64)
const growing = { desired: 30, channels: [] }

test.each<{ pool: string; conditions: readonly ChannelPoolCondition[]; kstatus: string }>([
  { pool: 'that is as its spec says', conditions: conditionsOf(result()), kstatus: 'Current' },
  {
    pool: 'that is being created',
    conditions: conditionsOf(
      result({
        ...growing,
        applied: { kind: 'created', count: 19, authorities: 0, ...noFunds, hash, ledger: 7 },
      }),
    ),
    kstatus: 'InProgress',
  },
  {
    pool: 'whose sponsor cannot pay',
    conditions: conditionsOf(
      result({ ...growing, applied: { kind: 'short', message: 'sponsor lacks 5 XLM' } }),
    ),
    kstatus: 'Failed',
  },
  { pool: 'without its Secret', conditions: blocked('SponsorSecretMissing'), kstatus: 'Failed' },
  { pool: 'of the sponsor of another', conditions: blocked('Conflict'), kstatus: 'Failed' },
  {
    pool: 'whose Facilitator migrates the database first',
    conditions: blocked('StoreSchemaOutdated'),
    kstatus: 'InProgress',
  },
  {
    pool: 'whose database does not answer for a while',
    conditions: blocked('StoreUnreachable'),
    kstatus: 'InProgress',
  },
])('kstatus calls a pool $pool $kstatus', ({ conditions, kstatus }) => {
  const all = writtenConditions(conditions, stalledBy)
  const status = { observedGeneration: 1, conditions: all }
  expect(kstatusOf({ metadata: { generation: 1 }, status })).toBe(kstatus)
})
