import { describe, expect, test } from 'vitest'
import { channelPool } from '../../../../src/kubernetes/crd/channel-pool.ts'
import { facilitator } from '../../../../src/kubernetes/crd/facilitator.ts'
import type { Manifest } from '../../../support/api/manifests.ts'
import { type SampleObject, sampleObjects, sampleText } from '../../../support/api/samples.ts'
import { refusals } from './evaluate-rules.ts'

const isOurs = (object: SampleObject): object is SampleObject & Manifest =>
  object.apiVersion === 'x402.svc.dev/v1beta1'

describe.each(['small', 'full'])('the samples in %s', (sample) => {
  const objects = sampleObjects(sample)
  const facilitators = objects.filter(isOurs).flatMap((object) => {
    return object.kind === 'Facilitator' ? [facilitator.parse(object).spec] : []
  })
  const pools = objects.filter(isOurs).flatMap((object) => {
    return object.kind === 'ChannelPool' ? [channelPool.parse(object).spec] : []
  })

  test('satisfy the rules', () => {
    expect(facilitators.length).toBeGreaterThan(0)
    expect(objects.filter(isOurs).flatMap((after) => refusals({ what: 'it', after }))).toEqual([])
  })

  test('name only Secrets and pools of the samples', () => {
    const keys = objects.flatMap(({ kind, metadata, stringData = {} }) =>
      kind === 'Secret' ? Object.keys(stringData).map((key) => `${metadata.name}/${key}`) : [],
    )
    const refs = [
      ...pools.flatMap(({ sponsor, database }) => [sponsor.secretRef, database.secretRef]),
      ...facilitators.flatMap(({ database: { secretRef }, apiKeys }) =>
        apiKeys ? [secretRef, apiKeys.digestsSecretRef] : [secretRef],
      ),
    ]
    const named = objects.map(({ kind, metadata }) => `${kind}/${metadata.name}`)

    expect(
      refs
        .flatMap((ref) => (ref ? [`${ref.name}/${ref.key}`] : []))
        .filter((ref) => !keys.includes(ref)),
    ).toEqual([])
    for (const { networks } of facilitators) {
      for (const { channelPool: pool } of networks) expect(named).toContain(`ChannelPool/${pool}`)
    }
  })
})

describe('the small samples', () => {
  test.each(['small/channel-pool.yaml', 'small/facilitator.yaml'])(
    'have at most ten lines in %s',
    (file) => {
      expect(sampleText(file).trimEnd().split('\n').length).toBeLessThanOrEqual(10)
    },
  )
})
