import { expect, test } from 'vitest'
import { blockerOf } from '../../../../src/operator/facilitator/blockers.ts'
import { poolWith, pubnet, testnet } from './builders.ts'
import { type ViewParts, viewWith } from './views.ts'

const keys = { apiKeys: { digestsSecretRef: { name: 'keys' } } }
const embeddings = {
  catalog: {
    enabled: true,
    embeddings: { url: 'https://e.example', model: 'm', secretRef: { name: 'embeddings' } },
  },
}
const withPubnet = (network: object) => ({
  spec: { networks: [{ channelPool: 'pubnet', ...network }], ...keys },
  pools: [pubnet()],
})
const elsewhere = poolWith({ databaseSecretRef: { name: 'other' } })

test.each<{ when: string; parts: ViewParts; reason: string | undefined; says?: string }>([
  { when: 'nothing is in the way', parts: {}, reason: undefined },
  {
    when: 'a pool is not there',
    parts: { pools: [] },
    reason: 'PoolMissing',
    says: 'There is no ChannelPool testnet in this namespace: create it.',
  },
  {
    when: 'two pools are of one network',
    parts: {
      spec: { networks: [{ channelPool: 'testnet' }, { channelPool: 'second' }] },
      pools: [testnet(), poolWith({}, { name: 'second' })],
    },
    reason: 'NetworkTwice',
    says: 'ChannelPools testnet and second are both of stellar:testnet: keep one of them.',
  },
  { when: 'nobody decided on keys for pubnet', parts: withPubnet({}), reason: 'ApiKeyUndecided' },
  {
    when: 'somebody decided on it',
    parts: withPubnet({ requireApiKey: false }),
    reason: undefined,
  },
  { when: 'there is no image', parts: { image: '' }, reason: 'ImageMissing' },
  {
    when: 'the database has no secret',
    parts: { secrets: { 'x402-database/url': undefined } },
    reason: 'DatabaseSecretMissing',
    says: 'There is no Secret x402-database, key url: create it.',
  },
  {
    when: 'the secret is no database',
    parts: { secrets: { 'x402-database/url': 'mysql://x' } },
    reason: 'DatabaseSecretInvalid',
  },
  {
    when: 'a seed is not there',
    parts: { secrets: { 'testnet-sponsor/secret': undefined } },
    reason: 'PoolNotReady',
    says: 'There is no Secret testnet-sponsor, key secret, the seed of a sponsor: create it.',
  },
  {
    when: 'digests are not there',
    parts: { spec: keys, secrets: { 'keys/sha256': undefined } },
    reason: 'ApiKeysSecretMissing',
  },
  {
    when: 'digests are none',
    parts: { spec: keys, secrets: { 'keys/sha256': 'secret' } },
    reason: 'ApiKeysSecretInvalid',
  },
  {
    when: 'digests are empty',
    parts: { spec: keys, secrets: { 'keys/sha256': ' ' } },
    reason: 'ApiKeysSecretInvalid',
  },
  {
    when: 'several digests are there',
    parts: { spec: keys, secrets: { 'keys/sha256': `${'a'.repeat(64)},\n${'B'.repeat(64)}` } },
    reason: undefined,
  },
  {
    when: 'the key for embeddings is not there',
    parts: { spec: embeddings, secrets: { 'embeddings/apiKey': undefined } },
    reason: 'EmbeddingsSecretMissing',
  },
  {
    when: 'a pool has another database',
    parts: { pools: [elsewhere], secrets: { 'other/url': 'postgres://db.shop.svc:5433/other' } },
    reason: 'StoreMismatch',
  },
  {
    when: 'a pool comes to the same database as another user',
    parts: {
      pools: [elsewhere],
      secrets: { 'other/url': 'postgres://me:pw@db.shop.svc:5433/x402' },
    },
    reason: undefined,
  },
  { when: "a pool's own database has no secret", parts: { pools: [elsewhere] }, reason: undefined },
])('it says $reason when $when', ({ parts, reason, says }) => {
  const blocker = blockerOf(viewWith({ objects: [], ...parts }))
  expect(blocker?.reason).toBe(reason)
  if (says !== undefined) expect(blocker?.message).toBe(says)
})
