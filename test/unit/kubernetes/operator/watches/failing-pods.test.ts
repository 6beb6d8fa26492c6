import { describe, expect, test } from 'vitest'
import { podsFailingMessage } from '../../../../../src/kubernetes/operator/facilitator/status/conditions/sentences.ts'
import { failureOf, type Pod } from '../../../../../src/kubernetes/operator/watches/failing-pods.ts'

const pod = (status: Pod['status'], metadata: Partial<Pod['metadata']> = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: 'payments-facilitator-1',
    namespace: 'shop',
    uid: 'uid',
    resourceVersion: '1',
    labels: { 'app.kubernetes.io/component': 'facilitator' },
    ...metadata,
  },
  ...(status && { status }),
})
const container = (
  state: object,
  lastState: object = {},
  ready?: boolean,
): NonNullable<NonNullable<Pod['status']>['containerStatuses']>[number] => ({
  state,
  lastState,
  ...(ready !== undefined && { ready }),
})

const stack = [
  '{"level":"info","msg":"Starting"}',
  'Error: password authentication failed for user "svc"',
  '    at Parser.parseErrorMessage (parser.js:285:98)',
  "  code: '28P01'",
  '}',
].join('\n')

describe('the failure of a pod', () => {
  test.each<{ when: string; pod: Pod; expected: object | undefined }>([
    {
      when: 'it runs',
      pod: pod({ containerStatuses: [container({ running: {} })] }),
      expected: undefined,
    },
    { when: 'it has no status yet', pod: pod(undefined), expected: undefined },
    {
      when: 'it is being created',
      pod: pod({ containerStatuses: [container({ waiting: { reason: 'ContainerCreating' } })] }),
      expected: undefined,
    },
    {
      when: 'it succeeded',
      pod: pod({
        containerStatuses: [container({ terminated: { exitCode: 0, reason: 'Completed' } })],
      }),
      expected: undefined,
    },
    {
      when: 'its image does not exist',
      pod: pod({
        containerStatuses: [
          container({ waiting: { reason: 'ImagePullBackOff', message: 'Back-off' } }),
        ],
      }),
      expected: { reason: 'ImagePullBackOff', message: 'Back-off', component: 'facilitator' },
    },
    {
      when: 'it crashes: by its last output',
      pod: pod({
        containerStatuses: [
          container(
            { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 10s' } },
            { terminated: { exitCode: 1, message: '{"level":"info"}\nsvc facilitator: no RPC\n' } },
          ),
        ],
      }),
      expected: { reason: 'CrashLoopBackOff', message: 'svc facilitator: no RPC' },
    },
    {
      when: 'it runs again after a crash, and is not ready yet',
      pod: pod({
        containerStatuses: [
          container(
            { running: {} },
            { terminated: { exitCode: 137, reason: 'OOMKilled', message: '' } },
            false,
          ),
        ],
      }),
      expected: { reason: 'OOMKilled', exitCode: 137 },
    },
    {
      when: 'it is ready again after a crash',
      pod: pod({
        containerStatuses: [
          container({ running: {} }, { terminated: { exitCode: 1, reason: 'Error' } }, true),
        ],
      }),
      expected: undefined,
    },
    {
      when: 'it ended in an error: by the error, not its stack',
      pod: pod({
        containerStatuses: [
          container({ terminated: { exitCode: 1, reason: 'Error', message: stack } }),
        ],
      }),
      expected: {
        reason: 'Error',
        message: 'Error: password authentication failed for user "svc"',
      },
    },
    {
      when: 'it cannot be scheduled',
      pod: pod({
        conditions: [
          { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/3 nodes' },
        ],
      }),
      expected: { reason: 'Unschedulable', message: '0/3 nodes' },
    },
    {
      when: 'it is being deleted',
      pod: pod(
        { containerStatuses: [container({ waiting: { reason: 'CrashLoopBackOff' } })] },
        { deletionTimestamp: '2026-01-01T00:00:00Z' },
      ),
      expected: undefined,
    },
  ])('is reported when $when', ({ pod: one, expected }) => {
    const failure = failureOf(one)
    if (expected === undefined) expect(failure).toBeUndefined()
    else expect(failure).toMatchObject(expected)
  })
})

test('the message of a container that ended in an error does not repeat the word', () => {
  const failing = { name: 'payments-explorer-1', component: 'explorer', reason: 'Error' }
  expect(podsFailingMessage([{ ...failing, message: 'Error: librt.so.1 is missing' }])).toBe(
    'Pod payments-explorer-1 cannot run: Error: librt.so.1 is missing.',
  )
  expect(podsFailingMessage([{ ...failing, message: '' }])).toBe(
    'Pod payments-explorer-1 cannot run: Error.',
  )
})
