import { expect } from 'vitest'
import { CHANNELS } from '../support/alert-world.ts'
import type { Round } from '../support/round.ts'
import { ofOperator, ofPool } from './labels.ts'

export const operatorRounds: readonly Round[] = [
  {
    fault: 'the only operator is killed',
    alerts: { X402OperatorNoLeader: ofOperator },
    make: ({ world }) => world.operator.kill(),
    check: async ({ world }) => {
      const lease = ['-n', 'x402-system', 'get', 'lease', 'stellar-x402', '-o', 'yaml']
      expect(await world.cluster.kubectl(lease)).toContain('holderIdentity')
    },
    repair: ({ world }) => world.operator.start(),
  },
  {
    fault: 'the API server answers writes of the status of pools with 500',
    alerts: {
      X402OperatorReconcileErrors: { ...ofOperator, controller: 'channelpool' },
      X402ObjectNotReconciled: ofPool('testnet'),
    },
    make: async ({ world }) => {
      const filter = { verbs: ['patch'], resources: ['channelpools'], subresource: 'status' }
      world.api.fail({ kind: 'status', status: 500 }, filter)
      await world.kubectl('scale', 'channelpool/testnet', `--replicas=${CHANNELS + 1}`)
    },
    check: async ({ world }) => {
      const columns = 'SPEC:.metadata.generation,SEEN:.status.observedGeneration'
      const text = await world.kubectl('get', 'channelpools', '-o', `custom-columns=${columns}`)
      const [, spec, seen] = /(\d+)\s+(\d+)/.exec(text) ?? []
      expect(Number(spec)).toBeGreaterThan(Number(seen))
    },
    repair: async ({ world }) => {
      world.api.heal()
      await world.kubectl('scale', 'channelpool/testnet', `--replicas=${CHANNELS}`)
    },
  },
]

/** It takes minutes, and hinders nothing that a facilitator, a catalog or an explorer does. */
export const slowOperatorRound: Round = {
  fault: 'the API server answers no write of a status, and lists no pool',
  alerts: {
    X402OperatorQueueStuck: ofOperator,
    X402OperatorStaleCache: { ...ofOperator, kind: 'ChannelPool' },
  },
  make: async ({ world }) => {
    const pools = { resources: ['channelpools'] }
    world.api.fail({ kind: 'status', status: 500 }, { verbs: ['list', 'watch'], ...pools })
    world.api.fail({ kind: 'end' }, { verbs: ['watch'], ...pools })
    world.api.fail({ kind: 'hang' }, { verbs: ['patch'], subresource: 'status' })
    await world.kubectl('scale', 'facilitator/payments', '--replicas=2')
  },
  repair: async ({ world }) => {
    world.api.heal()
    await world.kubectl('scale', 'facilitator/payments', '--replicas=1')
  },
}
