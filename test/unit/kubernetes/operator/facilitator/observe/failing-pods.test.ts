import { expect, test } from 'vitest'
import { observeFacilitator } from '../../../../../../src/kubernetes/operator/facilitator/observe/observe.ts'
import { facilitatorWith, testDigest, testnet } from '../builders.ts'

const crashed = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'payments-preflight-1', namespace: 'shop', uid: '1', resourceVersion: '1' },
  status: {
    phase: 'Failed',
    containerStatuses: [
      {
        state: {
          terminated: {
            exitCode: 1,
            reason: 'Error',
            message: 'problem: CA is not on this network: correct TESTNET_UPTO_CONTRACT',
          },
        },
      },
    ],
  },
}

test('N10: the last output of a pod names fields of the spec', async () => {
  const deps = {
    pools: { get: () => testnet() },
    children: { ownedBy: () => [], find: () => undefined, serves: () => false },
    pods: { by: () => [crashed] },
    secrets: { read: async () => undefined, isWatched: () => true },
    readDigest: async () => testDigest,
    facilitatorImage: 'svc:1',
    clock: { now: () => 0 },
    client: {},
  } as never
  const { failing } = await observeFacilitator(
    facilitatorWith(),
    deps,
    new AbortController().signal,
  )

  expect(failing.map(({ message }) => message)).toEqual([
    expect.stringContaining('correct spec.networks[testnet].upto.contract'),
  ])
})
