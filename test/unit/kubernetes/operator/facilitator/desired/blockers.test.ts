import { expect, test } from 'vitest'
import { blockerOf } from '../../../../../../src/kubernetes/operator/facilitator/desired/blockers.ts'
import { channelSecretOf } from '../../../../../../src/kubernetes/operator/references/sponsor-source.ts'
import { sponsors, writtenSponsors } from '../../../../../support/api/sponsors.ts'
import { poolWith, privateRpc, pubnet, testnet } from '../builders.ts'
import { type ObservedParts, observedWith } from '../results.ts'

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
const channels = channelSecretOf({ metadata: { name: 'testnet' } }, sponsors.pkcs11)?.name
const ofChannels = { [`${channels}/secret`]: `S${'C'.repeat(55)}` }
const poolElsewhere = poolWith({ database: { secretRef: { name: 'other' } } })

test.each<{ when: string; parts: ObservedParts; reason: string | undefined; message?: string }>([
  { when: 'nothing is wrong', parts: {}, reason: undefined },
  {
    when: 'a pool does not exist',
    parts: { pools: [] },
    reason: 'PoolMissing',
    message: 'There is no ChannelPool testnet in this namespace: create it.',
  },
  {
    when: 'two pools have the same network',
    parts: {
      spec: { networks: [{ channelPool: 'testnet' }, { channelPool: 'second' }] },
      pools: [testnet(), poolWith({}, { name: 'second' })],
    },
    reason: 'NetworkTwice',
    message: 'ChannelPools testnet and second are both of stellar:testnet: keep one of them.',
  },
  { when: 'access of pubnet is not set', parts: withPubnet({}), reason: 'ApiKeyUndecided' },
  {
    when: 'access of pubnet is set',
    parts: withPubnet({ access: 'Everyone' }),
    reason: undefined,
  },
  { when: 'there is no image', parts: { image: '' }, reason: 'ImageMissing' },
  {
    when: 'the Secret of the database does not exist',
    parts: { secrets: { 'x402-database/url': undefined } },
    reason: 'DatabaseSecretMissing',
    message: 'There is no Secret x402-database, key url: create it.',
  },
  {
    when: 'the Secret holds no Postgres URL',
    parts: { secrets: { 'x402-database/url': 'mysql://x' } },
    reason: 'DatabaseSecretInvalid',
  },
  {
    when: 'the URL of the database is too long to be one',
    parts: { secrets: { 'x402-database/url': `postgres://db/${'x'.repeat(5_000)}` } },
    reason: 'DatabaseSecretInvalid',
  },
  {
    when: 'the certificate authority of the database is too long to be one',
    parts: {
      spec: {
        database: {
          secretRef: { name: 'x402-database', key: 'url' },
          caSecretRef: { name: 'ca', key: 'ca' },
        },
      },
      secrets: { 'ca/ca': 'x'.repeat(70_000) },
    },
    reason: 'DatabaseSecretInvalid',
  },
  {
    when: 'the seed of a sponsor does not exist',
    parts: { secrets: { 'testnet-sponsor/secret': undefined } },
    reason: 'PoolNotReady',
    message:
      'There is no Secret testnet-sponsor, key secret, which spec.sponsor.secretRef of ChannelPool testnet names: create it.',
  },
  {
    when: 'the PIN of a token does not exist',
    parts: { pools: [poolWith({ sponsor: writtenSponsors.pkcs11 })], secrets: ofChannels },
    reason: 'SignerSecretMissing',
    message:
      'There is no Secret hsm, key pin, which spec.sponsor.pkcs11.pinSecretRef of ChannelPool testnet names: create it.',
  },
  {
    when: 'the client certificate of a signer does not exist',
    parts: {
      pools: [poolWith({ sponsor: writtenSponsors.http })],
      secrets: { ...ofChannels, 'signer-ca/ca.crt': 'CA', 'signer-client/tls.crt': 'CERT' },
    },
    reason: 'SignerSecretMissing',
    message:
      'There is no Secret signer-client, key tls.key, which spec.sponsor.http.clientSecretRef of ChannelPool testnet names: create it.',
  },
  {
    when: 'the operator has not created the Secret of the channels yet',
    parts: { pools: [poolWith({ sponsor: writtenSponsors.socket })] },
    reason: 'PoolNotReady',
    message: `There is no Secret ${channels}, key secret, which the operator creates for ChannelPool testnet: see the conditions of that pool.`,
  },
  {
    when: 'N4: the Secret with the RPC endpoints does not exist',
    parts: { pools: [privateRpc()], secrets: { 'rpc-provider/urls': undefined } },
    reason: 'RpcSecretMissing',
    message:
      'There is no Secret rpc-provider, key urls, with the URLs of the RPC endpoints: create it.',
  },
  {
    when: 'N4: the Secret with the RPC endpoints holds something else',
    parts: { pools: [privateRpc()], secrets: { 'rpc-provider/urls': 'rpc.example' } },
    reason: 'RpcSecretInvalid',
  },
  {
    when: 'the digests do not exist',
    parts: { spec: keys, secrets: { 'keys/sha256': undefined } },
    reason: 'ApiKeysSecretMissing',
  },
  {
    when: 'the digests are invalid',
    parts: { spec: keys, secrets: { 'keys/sha256': 'secret' } },
    reason: 'ApiKeysSecretInvalid',
    message:
      'Secret keys, key sha256 holds other text than digests (entry 1 is not a SHA-256 digest): use the entry that svc keys new prints.',
  },
  {
    when: 'the digests are empty',
    parts: { spec: keys, secrets: { 'keys/sha256': ' ' } },
    reason: 'ApiKeysSecretInvalid',
    message:
      'Secret keys, key sha256 is empty, so that no API key is accepted: add the entry that svc keys new prints.',
  },
  {
    when: 'there are several digests',
    parts: { spec: keys, secrets: { 'keys/sha256': `${'a'.repeat(64)},\n${'B'.repeat(64)}` } },
    reason: undefined,
  },
  {
    when: 'digests have names and times of validity, and one has ended',
    parts: {
      spec: keys,
      secrets: {
        'keys/sha256': `${'a'.repeat(64)};name=shop;until=2020-01-01T00:00:00Z\n${'b'.repeat(64)};name=shop`,
      },
    },
    reason: undefined,
  },
  {
    when: 'the end of a key is no time',
    parts: { spec: keys, secrets: { 'keys/sha256': `${'a'.repeat(64)};until=tomorrow` } },
    reason: 'ApiKeysSecretInvalid',
    message:
      'Secret keys, key sha256 holds other text than digests (entry 1 has an invalid until: not a time such as 2026-12-01T00:00:00Z): use the entry that svc keys new prints.',
  },
  {
    when: 'the key for embeddings does not exist',
    parts: { spec: embeddings, secrets: { 'embeddings/apiKey': undefined } },
    reason: 'EmbeddingsSecretMissing',
  },
  {
    when: 'a pool has another database',
    parts: {
      pools: [poolElsewhere],
      secrets: { 'other/url': 'postgres://db.shop.svc:5433/other' },
    },
    reason: 'StoreMismatch',
  },
  {
    when: 'a pool uses the same database with another user',
    parts: {
      pools: [poolElsewhere],
      secrets: { 'other/url': 'postgres://me:pw@db.shop.svc:5433/x402' },
    },
    reason: undefined,
  },
  {
    when: "the Secret of a pool's database does not exist",
    parts: { pools: [poolElsewhere] },
    reason: undefined,
  },
])('it says $reason when $when', ({ parts, reason, message }) => {
  const blocker = blockerOf(observedWith({ objects: [], ...parts }))
  expect(blocker?.reason).toBe(reason)
  if (message !== undefined) expect(blocker?.message).toBe(message)
})
