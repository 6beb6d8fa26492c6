import { describe, expect, test } from 'vitest'
import type { ChannelPool } from '../../../../../../src/kubernetes/crd/channel-pool.ts'
import { render } from '../../../../../../src/kubernetes/operator/facilitator/render/render.ts'
import {
  mountedSponsors,
  servedNetworks,
} from '../../../../../../src/kubernetes/operator/facilitator/status/mounted-sponsors.ts'
import { channelSecretOf } from '../../../../../../src/kubernetes/operator/references/sponsor-source.ts'
import type { Json } from '../../../../../support/api/manifests.ts'
import { sponsors } from '../../../../../support/api/sponsors.ts'
import { addressB, rotation, secretA, secretB } from '../../channel-pool/rotation/rotations.ts'
import { desiredWith, facilitatorWith, poolWith } from '../builders.ts'
import { objectsOf, rolledOut } from '../results.ts'

const contract = `C${'F'.repeat(55)}`
const channelsOfB = channelSecretOf({ metadata: { name: 'testnet' } }, { address: addressB })
const secrets = {
  [`${channelsOfB?.name}/secret`]: 'S',
  'hsm/pin': '1234',
  'sponsor-a/secret': 'S',
  'sponsor-b/secret': 'S',
}

/** The pool while it moves from the first Secret to the second. */
function poolIn(changes: Parameters<typeof rotation>[0] = {}): ChannelPool {
  const status = rotation(changes)
  const secretRef = status.serving === 'To' ? secretB : secretA
  return poolWith(
    { sponsor: { secretRef: secretB } },
    { status: { rotation: status, sponsor: { address: 'G', source: { secretRef } } } },
  )
}

const specOf = (upto: boolean): Json => ({
  replicas: 2,
  networks: [{ channelPool: 'testnet', ...(upto && { upto: { contract } }) }],
})

/** The Deployment that the operator renders for this step of the pool. */
function deploymentFor(pool: ChannelPool, { upto = false, status = rolledOut(2) } = {}) {
  const rendered = objectsOf(render(desiredWith(specOf(upto), { pools: [pool], secrets })))
  const deployment = rendered.find(({ kind }) => kind === 'Deployment')
  if (!deployment) throw new Error('there is no Deployment')
  return Object({ ...deployment, metadata: { ...deployment.metadata, generation: 1 }, status })
}

const mounted = (pool: ChannelPool, deployment: object | undefined, upto = false) =>
  mountedSponsors({
    facilitator: facilitatorWith(specOf(upto)),
    pools: new Map([['testnet', pool]]),
    deployment: deployment && Object(deployment),
    replicas: 2,
  })

describe('the seeds that all pods mount', () => {
  test.each<{ when: string; changes: Parameters<typeof rotation>[0]; upto: boolean; seeds: Json }>([
    {
      when: 'before the pods move',
      changes: { phase: 'Provisioning', step: 2 },
      upto: false,
      seeds: { step: 2, current: secretA },
    },
    {
      when: 'when they know the new sponsor',
      changes: { phase: 'Introducing', step: 3 },
      upto: true,
      seeds: { step: 3, current: secretA, next: secretB },
    },
    {
      when: 'when they have moved',
      changes: { phase: 'Moving', step: 4, serving: 'To' },
      upto: true,
      seeds: { step: 4, current: secretB, previous: secretA },
    },
    {
      when: 'when they have the new one alone',
      changes: { phase: 'Unmounting', step: 6, serving: 'To' },
      upto: true,
      seeds: { step: 6, current: secretB },
    },
  ])('are those of the step $when', ({ changes, upto, seeds }) => {
    const pool = poolIn(changes)
    expect(mounted(pool, deploymentFor(pool, { upto }), upto)).toEqual([
      { channelPool: 'testnet', ...seeds },
    ])
  })

  test('are told by the Secrets of the channels where a signer has the key', () => {
    const address = addressB
    const ofSigner = { address, pkcs11: sponsors.pkcs11.pkcs11 }
    const pool = (phase: 'Introducing' | 'Moving') => {
      const to = { address, source: ofSigner }
      const status = rotation({ phase, step: 3, serving: phase === 'Moving' ? 'To' : 'From', to })
      const source = phase === 'Moving' ? ofSigner : { secretRef: secretA }
      return poolWith(
        { sponsor: ofSigner },
        { status: { rotation: status, sponsor: { address: 'G', source } } },
      )
    }
    const channels = channelsOfB
    const introducing = deploymentFor(pool('Introducing'), { upto: true })
    expect(mounted(pool('Introducing'), introducing, true)).toEqual([
      { channelPool: 'testnet', step: 3, current: secretA, next: channels },
    ])
    expect(servedNetworks(Object(introducing))).toEqual(['stellar:testnet'])
    const moving = deploymentFor(pool('Moving'), { upto: true })
    expect(mounted(pool('Moving'), moving, true)).toEqual([
      { channelPool: 'testnet', step: 3, current: channels, previous: secretA },
    ])
    expect(mounted(pool('Moving'), introducing, true)).toEqual([])
    expect(servedNetworks(Object(moving))).toEqual(['stellar:testnet'])
  })

  test('are unknown while a pod of the last step is left', () => {
    const pool = poolIn({ phase: 'Moving', step: 3, serving: 'To' })
    const status = { ...rolledOut(2), updatedReplicas: 1 }
    expect(mounted(pool, deploymentFor(pool, { status }))).toEqual([])
    expect(mounted(pool, undefined)).toEqual([])
  })

  test('are unknown while the Deployment has those of another step', () => {
    const before = deploymentFor(poolIn({ phase: 'Provisioning', step: 2 }))
    expect(mounted(poolIn({ phase: 'Moving', step: 3, serving: 'To' }), before)).toEqual([])
    // One more than the step says is as wrong as another one.
    const both = deploymentFor(poolIn({ phase: 'Moving', step: 4, serving: 'To' }), { upto: true })
    const alone = poolIn({ phase: 'Unmounting', step: 6, serving: 'To' })
    expect(mounted(alone, both, true)).toEqual([])
  })
})
