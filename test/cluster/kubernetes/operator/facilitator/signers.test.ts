import { describe, expect, vi } from 'vitest'
import { channelSecretOf } from '../../../../../src/kubernetes/operator/references/sponsor-source.ts'
import type { Json } from '../../../../support/api/manifests.ts'
import { SPONSOR_ADDRESS, sponsors, writtenSponsors } from '../../../../support/api/sponsors.ts'
import { NAME, patience, type Rig, test } from './rig.ts'

const seconds = { timeout: 120_000 }
const at = '/etc/x402/secrets'
const channels = channelSecretOf({ metadata: { name: 'testnet' } }, sponsors.vault)?.name ?? ''
const own = {
  TESTNET_SPONSOR_ADDRESS: SPONSOR_ADDRESS,
  TESTNET_CHANNEL_SECRET_FILE: `${at}/testnet-channel-secret`,
}

const cases = [
  {
    kind: 'pkcs11',
    secrets: { hsm: { pin: '1234' } },
    signer: `pkcs11:token=x402%20sponsors;object=testnet?module-path=/opt/hsm/libpkcs11.so&pin-source=${at}/testnet-signer-pin`,
    mounts: ['testnet-signer-pin hsm/pin'],
    tokens: [],
  },
  {
    kind: 'vault',
    secrets: { 'vault-ca': { 'ca.crt': 'CA' } },
    signer: `vault+https://vault.example:8200/transit/x402-testnet?ca=${at}/testnet-signer-ca.crt&role=x402&auth=kubernetes&jwt=${at}/testnet-signer-token`,
    mounts: ['testnet-signer-ca.crt vault-ca/ca.crt'],
    tokens: [{ audience: 'vault', expirationSeconds: 3600, path: 'testnet-signer-token' }],
  },
  {
    kind: 'http',
    secrets: {
      'signer-ca': { 'ca.crt': 'CA' },
      'signer-client': { 'tls.crt': 'CERT', 'tls.key': 'KEY' },
    },
    signer: `https://signer.example:8443/v1?ca=${at}/testnet-signer-ca.crt&cert=${at}/testnet-signer-tls.crt&key=${at}/testnet-signer-tls.key`,
    mounts: [
      'testnet-signer-ca.crt signer-ca/ca.crt',
      'testnet-signer-tls.crt signer-client/tls.crt',
      'testnet-signer-tls.key signer-client/tls.key',
    ],
    tokens: [],
  },
  {
    kind: 'socket',
    secrets: {},
    signer: 'unix:/run/signer/signer.sock',
    mounts: [],
    tokens: [],
  },
] as const satisfies readonly (Json & { readonly kind: keyof typeof writtenSponsors })[]

/** What the Deployment of the facilitator pods has, as the API server stores it. */
async function storedPods(rig: Rig) {
  const { spec } = Object(await rig.get('apis/apps/v1', 'deployments', `${NAME}-facilitator`))
  const { volumes, containers, automountServiceAccountToken } = spec.template.spec
  const { sources } = volumes.find(({ name }: Json) => name === 'secrets').projected
  const { name } = containers[0].envFrom[0].configMapRef
  const { data } = Object(await rig.get('api/v1', 'configmaps', name))
  return {
    automountServiceAccountToken,
    variables: Object.fromEntries(
      Object.entries(data).filter(([variable]) =>
        /SPONSOR_S|SPONSOR_A|CHANNEL_SECRET/.test(variable),
      ),
    ),
    mounts: sources
      .flatMap(({ secret }: { secret?: { name: string; items: readonly Json[] } }) =>
        (secret?.items ?? []).map(({ key, path }) => `${path} ${secret?.name}/${key}`),
      )
      .toSorted(),
    tokens: sources.flatMap(({ serviceAccountToken = [] }) => serviceAccountToken),
  }
}

describe('the pods of a sponsor whose key is in no Secret', () => {
  test.for(cases)('get what signs: $kind', seconds, async (each, { rig }) => {
    await rig.secret(channels, { secret: `S${'A'.repeat(55)}` })
    for (const [name, data] of Object.entries(each.secrets)) await rig.secret(name, data)
    await rig.begin({}, { sponsor: writtenSponsors[each.kind] })
    await vi.waitFor(async () => {
      expect(await storedPods(rig)).toEqual({
        automountServiceAccountToken: false,
        variables: { ...own, TESTNET_SPONSOR_SIGNER: each.signer },
        mounts: [
          'database-url x402-database/url',
          `testnet-channel-secret ${channels}/secret`,
          ...each.mounts,
        ].toSorted(),
        tokens: each.tokens,
      })
    }, patience)
  })

  test(
    'wait for what the operator and an administrator create, and say so',
    seconds,
    async ({ rig }) => {
      await rig.begin({}, { sponsor: writtenSponsors.pkcs11 })
      const says = (reason: string, text: string) =>
        vi.waitFor(async () => expect(await rig.says(reason)).toContain(text), patience)
      await says(
        'PoolNotReady',
        `There is no Secret ${channels}, key secret, which the operator creates for ChannelPool testnet`,
      )
      await rig.secret(channels, { secret: `S${'A'.repeat(55)}` })
      await says(
        'SignerSecretMissing',
        'There is no Secret hsm, key pin, which spec.sponsor.pkcs11.pinSecretRef of ChannelPool testnet names: create it.',
      )
      await rig.secret('hsm', { pin: '1234' })
      const hash = async () => {
        const { spec } = Object(await rig.get('apis/apps/v1', 'deployments', `${NAME}-facilitator`))
        return spec?.template.metadata.annotations['x402.svc.dev/secret-hash']
      }
      const first = await vi.waitFor(async () => {
        const value = await hash()
        expect(value).toBeDefined()
        return value
      }, patience)
      await rig.secret('hsm', { pin: '4321' })
      await vi.waitFor(async () => expect(await hash()).not.toBe(first), patience)
    },
  )
})
