/** A pool that several Facilitators use: its channels are for the replicas of all of them. */
import { expect, test } from 'vitest'
import type { ChannelPool } from '../../../../../../src/kubernetes/crd/channel-pool.ts'
import { relevantPoolState } from '../../../../../../src/kubernetes/operator/facilitator/observe/pool-state.ts'
import { conditionsOf } from '../../../../../../src/kubernetes/operator/facilitator/status/conditions/conditions.ts'
import {
  leastRequired,
  mostRequired,
  poolUsers,
} from '../../../../../../src/kubernetes/operator/references/pool-users.ts'
import { facilitatorWith } from '../builders.ts'
import { poolWithStatus, resultWith } from '../results.ts'

const WANTED = 8

/** As the pool's own pass counted its Facilitators; they count nothing before that. */
const poolThatCounted = (counted?: { usedBy: readonly string[]; replicas: number }) => {
  const pool = poolWithStatus({}, { wanted: WANTED, ready: WANTED })
  return { ...pool, status: { ...pool.status, ...counted } } as ChannelPool
}

const tooSmall = (replicas: number, pool: ChannelPool) =>
  conditionsOf(resultWith({ spec: { replicas }, pools: [pool] })).find(
    ({ reason }) => reason === 'PoolTooSmall',
  )?.message

test('a pool is too small for two Facilitators, each of which it would be enough for', () => {
  const both = poolThatCounted({ usedBy: ['payments', 'shop'], replicas: 12 })
  expect(tooSmall(6, both)).toMatch(/8 channels for 12 replicas of 2 Facilitators/)
  const enough = poolThatCounted({ usedBy: ['payments', 'shop'], replicas: WANTED })
  expect(tooSmall(4, enough)).toBeUndefined()
})

test('a Facilitator counts itself before the pool has counted it', () => {
  expect(tooSmall(9, poolThatCounted())).toMatch(/8 channels for 9 replicas,/)
  expect(tooSmall(9, poolThatCounted({ usedBy: ['shop'], replicas: 2 }))).toMatch(/9 replicas/)
  expect(tooSmall(WANTED, poolThatCounted())).toBeUndefined()
})

test('the Facilitators of a pool learn when it has counted another one', () => {
  const one = poolThatCounted({ usedBy: ['payments'], replicas: 6 })
  const both = poolThatCounted({ usedBy: ['payments', 'shop'], replicas: 12 })
  expect(relevantPoolState(both)).not.toEqual(relevantPoolState(one))
})

test('a pool counts the replicas and what each Facilitator keeps in reserve, whether or not that is observed yet', () => {
  const named = (name: string, spec: Parameters<typeof facilitatorWith>[0]) =>
    facilitatorWith(spec, { name })
  const reserve = (reserveXlm: string) => ({
    networks: [{ channelPool: 'testnet', sponsor: { reserveXlm } }],
  })
  const users = poolUsers(
    [
      named('shop', { replicas: 3, ...reserve('50') }),
      named('payments', { replicas: 2, ...reserve('5') }),
      named('other', { replicas: 7, networks: [{ channelPool: 'pubnet' }] }),
    ],
    'testnet',
  )
  expect(users.map(({ name, replicas }) => [name, replicas])).toEqual([
    ['payments', 2],
    ['shop', 3],
  ])
  expect([leastRequired(users), mostRequired(users)]).toEqual([50_000_000n, 500_000_000n])
})
