import { describe, expect, test } from 'vitest'
import { networkPolicies } from '../../../../../../src/kubernetes/operator/facilitator/render/network-policy.ts'
import { render } from '../../../../../../src/kubernetes/operator/facilitator/render/render.ts'
import { channelSecretOf } from '../../../../../../src/kubernetes/operator/references/sponsor-source.ts'
import type { Json } from '../../../../../support/api/manifests.ts'
import { SPONSOR_ADDRESS, sponsors, writtenSponsors } from '../../../../../support/api/sponsors.ts'
import { rotation } from '../../channel-pool/rotation/rotations.ts'
import { desiredWith, existingSecrets, poolWith } from '../builders.ts'

const channels = channelSecretOf({ metadata: { name: 'testnet' } }, sponsors.pkcs11)
const secrets = {
  ...existingSecrets,
  [`${channels?.name}/secret`]: `S${'C'.repeat(55)}`,
  'hsm/pin': '1234',
  'vault-ca/ca.crt': 'CA',
  'signer-ca/ca.crt': 'CA',
  'signer-client/tls.crt': 'CERT',
  'signer-client/tls.key': 'KEY',
}

interface Source {
  readonly secret?: {
    readonly name: string
    readonly items: readonly { readonly key: string; readonly path: string }[]
  }
  readonly serviceAccountToken?: Json
}

/** What the facilitator pods of a pool get. */
function podsOf(pool: ReturnType<typeof poolWith>, spec: Json = {}, values = secrets) {
  const rendered = render(desiredWith(spec, { pools: [pool], secrets: values }))
  const [{ deployment, configMap }] = rendered.rollouts
  const { template } = deployment['spec'] as {
    template: {
      metadata: Json
      spec: { volumes: readonly Json[]; automountServiceAccountToken: boolean }
    }
  }
  const volume = template.spec.volumes.find(({ name }) => name === 'secrets') as {
    readonly projected: { readonly sources: readonly Source[] }
  }
  const { sources } = volume.projected
  const environment = configMap['data'] as Readonly<Record<string, string>>
  return {
    rendered,
    mounts: sources.flatMap(({ secret }) =>
      secret ? secret.items.map(({ key, path }) => `${path} ${secret.name}/${key}`) : [],
    ),
    tokens: sources.flatMap(({ serviceAccountToken }) => serviceAccountToken ?? []),
    automount: template.spec.automountServiceAccountToken,
    annotations: template.metadata['annotations'],
    variables: Object.fromEntries(
      Object.entries(environment).filter(([name]) =>
        /SPONSOR_(SECRET|SIGNER|ADDRESS)|CHANNEL_SECRET/.test(name),
      ),
    ),
  }
}

const at = '/etc/x402/secrets'

describe('the pods of a sponsor', () => {
  test.each([
    {
      kind: 'secretRef' as const,
      variables: { TESTNET_SPONSOR_SECRET_FILE: `${at}/testnet-sponsor-secret` },
      mounts: ['testnet-sponsor-secret testnet-sponsor/secret'],
    },
    {
      kind: 'pkcs11' as const,
      variables: {
        TESTNET_SPONSOR_SIGNER: `pkcs11:token=x402%20sponsors;object=testnet?module-path=/opt/hsm/libpkcs11.so&pin-source=${at}/testnet-signer-pin`,
      },
      mounts: ['testnet-signer-pin hsm/pin'],
    },
    {
      kind: 'vault' as const,
      variables: {
        TESTNET_SPONSOR_SIGNER: `vault+https://vault.example:8200/transit/x402-testnet?ca=${at}/testnet-signer-ca.crt&role=x402&auth=kubernetes&jwt=${at}/testnet-signer-token`,
      },
      mounts: ['testnet-signer-ca.crt vault-ca/ca.crt'],
      tokens: [{ audience: 'vault', expirationSeconds: 3600, path: 'testnet-signer-token' }],
    },
    {
      kind: 'http' as const,
      variables: {
        TESTNET_SPONSOR_SIGNER: `https://signer.example:8443/v1?ca=${at}/testnet-signer-ca.crt&cert=${at}/testnet-signer-tls.crt&key=${at}/testnet-signer-tls.key`,
      },
      mounts: [
        'testnet-signer-ca.crt signer-ca/ca.crt',
        'testnet-signer-tls.crt signer-client/tls.crt',
        'testnet-signer-tls.key signer-client/tls.key',
      ],
    },
    {
      kind: 'socket' as const,
      variables: { TESTNET_SPONSOR_SIGNER: 'unix:/run/signer/signer.sock' },
      mounts: [],
    },
  ])('with $kind have what signs, and nothing else', ({ kind, variables, mounts, tokens = [] }) => {
    const pods = podsOf(poolWith({ sponsor: writtenSponsors[kind] }))
    const own =
      kind === 'secretRef'
        ? {}
        : {
            TESTNET_SPONSOR_ADDRESS: SPONSOR_ADDRESS,
            TESTNET_CHANNEL_SECRET_FILE: `${at}/testnet-channel-secret`,
          }
    expect(pods.variables).toEqual({ ...variables, ...own })
    const shared = kind === 'secretRef' ? [] : [`testnet-channel-secret ${channels?.name}/secret`]
    expect(pods.mounts.toSorted()).toEqual(
      ['database-url x402-database/url', ...shared, ...mounts].toSorted(),
    )
    expect(pods.tokens).toEqual(tokens)
    expect(pods.automount).toBe(false)
  })

  test('are replaced when a PIN changes', () => {
    const pool = poolWith({ sponsor: writtenSponsors.pkcs11 })
    const before = podsOf(pool).annotations
    expect(podsOf(pool, {}, { ...secrets, 'hsm/pin': '4321' }).annotations).not.toEqual(before)
  })

  test('of the catalog and the migration have none of it', () => {
    const pool = poolWith({ sponsor: writtenSponsors.vault })
    const { rendered } = podsOf(pool, { catalog: { enabled: true } })
    const others = JSON.stringify([rendered.rollouts[1], rendered.migration])
    expect(others).toContain('catalog')
    for (const secret of ['vault-ca', 'channels-', 'serviceAccountToken":', 'SPONSOR']) {
      expect(others).not.toContain(secret)
    }
  })
})

describe('the pods of a pool that moves to a signer', () => {
  const contract = `C${'F'.repeat(55)}`
  const upto = { networks: [{ channelPool: 'testnet', upto: { contract } }] }
  const from = { address: `G${'A'.repeat(55)}`, source: sponsors.secretRef }
  const to = { address: SPONSOR_ADDRESS, source: sponsors.pkcs11 }
  const poolIn = (changes: Parameters<typeof rotation>[0], source: object) =>
    poolWith(
      { sponsor: writtenSponsors.pkcs11 },
      {
        status: {
          rotation: rotation({ from, to, ...changes }),
          sponsor: { address: from.address, source },
        },
      },
    )

  test('know the address and the keys of the next sponsor before it serves, and not its signer', () => {
    const pods = podsOf(poolIn({ phase: 'Introducing' }, sponsors.secretRef), upto)
    expect(pods.variables).toEqual({
      TESTNET_SPONSOR_SECRET_FILE: `${at}/testnet-sponsor-secret`,
      TESTNET_NEXT_SPONSOR_ADDRESS: SPONSOR_ADDRESS,
      TESTNET_NEXT_CHANNEL_SECRET_FILE: `${at}/testnet-next-channel-secret`,
    })
    expect(pods.mounts).not.toContain('testnet-signer-pin hsm/pin')
  })

  test('know those of the sponsor before', () => {
    const back = { phase: 'Moving', serving: 'From', aborting: true } as const
    const pods = podsOf(poolIn(back, sponsors.secretRef), upto)
    expect(pods.variables).toMatchObject({
      TESTNET_PREVIOUS_SPONSOR_ADDRESS: SPONSOR_ADDRESS,
      TESTNET_PREVIOUS_CHANNEL_SECRET_FILE: `${at}/testnet-previous-channel-secret`,
    })
    const on = podsOf(poolIn({ phase: 'Moving', serving: 'To' }, sponsors.pkcs11), upto)
    expect(on.variables).toMatchObject({
      TESTNET_SPONSOR_ADDRESS: SPONSOR_ADDRESS,
      TESTNET_PREVIOUS_SPONSOR_SECRET_FILE: `${at}/testnet-previous-sponsor-secret`,
    })
  })
})

describe('the network policy of the facilitator pods', () => {
  const portsOf = (sponsor: Json, name = 'payments-facilitator') => {
    const desired = desiredWith(
      { catalog: { enabled: true } },
      { pools: [poolWith({ sponsor })], secrets },
    )
    const policy = networkPolicies(desired).find(({ metadata }) => metadata.name === name)
    const { egress } = Object(policy)['spec'] as {
      egress: readonly { to?: readonly Json[]; ports?: readonly { port: number }[] }[]
    }
    return egress
  }
  const opens = (rules: ReturnType<typeof portsOf>, port: number) =>
    rules.filter(({ ports }) => ports?.some((each) => each.port === port))

  test('is opened for the port of the signer, and no other policy is', () => {
    expect(opens(portsOf(writtenSponsors.secretRef), 8200)).toEqual([])
    expect(opens(portsOf(writtenSponsors.vault), 8200)).toHaveLength(1)
    expect(opens(portsOf(writtenSponsors.http), 8443)).toHaveLength(1)
    expect(opens(portsOf(writtenSponsors.vault, 'payments-catalog'), 8200)).toEqual([])
  })

  test('is opened for the address alone where the URL has one', () => {
    const { vault } = writtenSponsors.vault
    const to = (host: string) =>
      opens(
        portsOf({ ...writtenSponsors.vault, vault: { ...vault, address: `https://${host}:8200` } }),
        8200,
      ).map((rule) => rule.to)
    expect(to('192.0.2.7')).toEqual([[{ ipBlock: { cidr: '192.0.2.7/32' } }]])
    expect(to('[2001:db8::7]')).toEqual([[{ ipBlock: { cidr: '2001:db8::7/128' } }]])
  })
})
