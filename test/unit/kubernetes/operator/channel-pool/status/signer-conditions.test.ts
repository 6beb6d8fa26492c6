import { expect, test } from 'vitest'
import {
  blockers,
  PoolBlocked,
} from '../../../../../../src/kubernetes/operator/channel-pool/connect/blockers.ts'
import {
  conditionsOf,
  conditionsOfBlocker,
} from '../../../../../../src/kubernetes/operator/channel-pool/status/conditions.ts'
import { sponsors } from '../../../../../support/api/sponsors.ts'
import { result } from '../results.ts'

type Conditions = ReturnType<typeof conditionsOf>
const signerIn = (conditions: Conditions) =>
  conditions
    .filter(({ type }) => type.startsWith('Signer'))
    .map(({ type, status, reason }) => `${type}=${status} ${reason}`)

test('a pool with a seed says that no signer is asked', () => {
  expect(signerIn(conditionsOf(result()))).toEqual([
    'SignerReachable=True Seed',
    'SignerKeyMatches=True Seed',
  ])
})

test.each(['pkcs11', 'vault', 'http', 'socket'] as const)(
  'a pool whose signer (%s) answers says so',
  (kind) => {
    expect(signerIn(conditionsOf(result({ source: sponsors[kind] })))).toEqual([
      'SignerReachable=True Reachable',
      'SignerKeyMatches=True KeyMatches',
    ])
  },
)

test.each<[keyof typeof blockers, readonly string[]]>([
  [
    'SignerUnreachable',
    ['SignerReachable=False SignerUnreachable', 'SignerKeyMatches=Unknown SignerUnreachable'],
  ],
  ['SignerDenied', ['SignerReachable=False SignerDenied', 'SignerKeyMatches=Unknown SignerDenied']],
  [
    'SponsorKeyMismatch',
    ['SignerReachable=True SponsorKeyMismatch', 'SignerKeyMatches=False SponsorKeyMismatch'],
  ],
  [
    'SignerSecretMissing',
    ['SignerReachable=Unknown SignerSecretMissing', 'SignerKeyMatches=Unknown SignerSecretMissing'],
  ],
  ['StoreUnreachable', []],
  ['RpcUnreachable', []],
])('a pool that is blocked by %s says of its signer %j', (reason, says) => {
  expect(signerIn(conditionsOfBlocker(new PoolBlocked(reason, 'It is so: do that.')))).toEqual(says)
})

test('while the signer does not answer the operator, pods may go on', () => {
  const conditions = conditionsOfBlocker(new PoolBlocked('SignerUnreachable', 'It is so.'))
  expect(conditions.find(({ type }) => type === 'Ready')?.status).toBe('Unknown')
  expect(blockers.SignerUnreachable.retryMs).toBeLessThanOrEqual(10_000)
})
