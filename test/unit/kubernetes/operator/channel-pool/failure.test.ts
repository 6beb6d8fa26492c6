import { expect, test } from 'vitest'
import { annotations } from '../../../../../src/kubernetes/crd/names/marks.ts'
import { failureConditions } from '../../../../../src/kubernetes/operator/channel-pool/failure.ts'
import { KubeError } from '../../../../../src/kubernetes/runtime/client/kube-error.ts'

const { signal } = new AbortController()
const forbidden = new KubeError({ kind: 'forbidden', message: 'cannot patch channelpools/status' })
const of = (error: unknown, isDeletion = false) => failureConditions(error, isDeletion, signal)

test.each<{ reason: string; error: Error; says: RegExp }>([
  {
    reason: 'Forbidden',
    error: forbidden,
    says: /lacks a permission: cannot patch channelpools\/status.*Grant it/,
  },
  { reason: 'Failed', error: new TypeError('a seed'), says: /unexpected error \(TypeError\)/ },
])(
  'a pool says $reason and what to do, and while it is deleted the way out',
  ({ reason, error, says }) => {
    const degraded = {
      type: 'Degraded',
      status: 'True',
      reason,
      message: expect.stringMatching(says),
    }
    expect(of(error)).toContainEqual(degraded)
    const message = expect.stringMatching(new RegExp(`${says.source}.*${annotations.skipCleanup}`))
    expect(of(error, true)).toEqual([
      { type: 'Progressing', status: 'False', reason: 'DeletionBlocked', message },
      { ...degraded, message },
    ])
  },
)

test('an error that the next pass meets no more is not reported, and a secret never is', () => {
  expect(of(new KubeError({ kind: 'conflict', message: 'changed meanwhile' }))).toEqual([])
  expect(failureConditions(new Error('x'), true, AbortSignal.abort())).toEqual([])
  expect(JSON.stringify(of(new TypeError('a seed')))).not.toContain('a seed')
})
