import { describe, expect, test } from 'vitest'
import type { FacilitatorResult } from '../../../../../../src/kubernetes/operator/facilitator/converge/converge.ts'
import {
  type KeeperStatus,
  lastKnownKeepers,
} from '../../../../../../src/kubernetes/operator/facilitator/observe/keepers.ts'
import { conditionsOf } from '../../../../../../src/kubernetes/operator/facilitator/status/conditions/conditions.ts'
import { keeperEvents } from '../../../../../../src/kubernetes/operator/facilitator/status/keeper-events.ts'
import { statusOf } from '../../../../../../src/kubernetes/operator/facilitator/status/status.ts'
import { facilitatorWith } from '../builders.ts'
import { resultWith } from '../results.ts'

const contract = `C${'A'.repeat(55)}`
const spec = { networks: [{ channelPool: 'testnet', upto: { contract } }] }

const acted = (digit: string, lastAction: 'Extend' | 'Restore' = 'Extend'): KeeperStatus => ({
  contract,
  lastAction,
  transaction: digit.repeat(64),
  actedAt: '2026-01-01T00:00:00.000Z',
})

/** A pass that read `now`, after one that wrote `before` into the status. */
function passWith(now: KeeperStatus | undefined, before?: KeeperStatus): FacilitatorResult {
  const result = resultWith({ spec })
  const { facilitator } = result.observed
  const networks = [
    {
      channelPool: 'testnet',
      ready: true,
      reason: 'ChannelsReady',
      ...(before && { upto: before }),
    },
  ]
  return {
    ...result,
    observed: { ...result.observed, facilitator: { ...facilitator, status: { networks } } },
    keepers: new Map(now ? [['testnet', now]] : []),
  }
}

describe('the keeper of a settlement contract', () => {
  test.each<{ when: string; pass: FacilitatorResult; reasons: readonly string[] }>([
    { when: 'nothing was done yet', pass: passWith({ contract }), reasons: [] },
    { when: 'the first was done', pass: passWith(acted('1')), reasons: ['UptoContractExtended'] },
    {
      when: 'the status has it, as after a restart',
      pass: passWith(acted('1'), acted('1')),
      reasons: [],
    },
    {
      when: 'another follows',
      pass: passWith(acted('2', 'Restore'), acted('1')),
      reasons: ['UptoContractRestored'],
    },
    {
      when: 'the status is of another contract',
      pass: passWith(acted('2'), { ...acted('2'), contract: `C${'B'.repeat(55)}` }),
      reasons: ['UptoContractExtended'],
    },
  ])('has an event for each action: $when', ({ pass, reasons }) => {
    expect(keeperEvents(pass).map(({ reason }) => reason)).toEqual(reasons)
  })

  test('says what was done, by which transaction and when', () => {
    expect(keeperEvents(passWith(acted('1')))).toEqual([
      {
        type: 'Normal',
        reason: 'UptoContractExtended',
        action: 'ExtendTtl',
        note: `Transaction ${'1'.repeat(64)} extended the TTL of settlement contract ${contract} of stellar:testnet at 2026-01-01T00:00:00.000Z.`,
      },
    ])
  })

  test('is in the status of its network, and makes the Facilitator Degraded while it fails', () => {
    const failed = { ...acted('1'), error: 'no channel is free' }
    const result = passWith(failed)
    expect(statusOf(result).networks).toMatchObject([{ channelPool: 'testnet', upto: failed }])
    expect(conditionsOf(result).find(({ type }) => type === 'Degraded')).toMatchObject({
      status: 'True',
      reason: 'UptoKeeperFailed',
    })
    expect(conditionsOf(result).find(({ type }) => type === 'Ready')?.status).toBe('True')
  })

  test('is known from the status, of the contracts that the spec names', () => {
    const { facilitator } = passWith(undefined, acted('1')).observed
    const other = facilitatorWith({
      networks: [{ channelPool: 'testnet', upto: { contract: `C${'B'.repeat(55)}` } }],
    })

    expect(lastKnownKeepers(facilitator).get('testnet')).toEqual(acted('1'))
    expect(lastKnownKeepers({ ...facilitator, spec: other.spec }).size).toBe(0)
  })
})
