import { facilitatorManifest, type Json, type Manifest, networkManifest } from './manifests.ts'
import type { RuleCase, Write } from './rule-cases.ts'

/** Cases that create an object, by its description. */
const creations = (made: Readonly<Record<string, Manifest>>): readonly Write[] =>
  Object.entries(made).map(([what, after]) => ({ what, after }))

const rule = (
  at: string,
  message: string,
  {
    accepted,
    refused,
  }: {
    accepted: Readonly<Record<string, Manifest>>
    refused: Readonly<Record<string, Manifest>>
  },
): RuleCase => ({
  kind: 'Facilitator',
  at,
  message,
  accepted: creations(accepted),
  refused: creations(refused),
})

const image = (more: Json) =>
  facilitatorManifest({ image: { repository: 'registry.example/svc', ...more } })
const digest = `sha256:${'0'.repeat(64)}`
const apiKeys = { digestsSecretRef: { name: 'x402-api-keys' } }
const asset = (amounts: Json) =>
  networkManifest({
    assets: [{ contract: `C${'A'.repeat(55)}`, symbol: 'USDC', decimals: 7, ...amounts }],
  })
const timeouts = (given: Json) => networkManifest({ timeouts: given })
const fees = (given: Json) => networkManifest({ fees: given })
const upto = (keeper: Json) => networkManifest({ upto: { contract: `C${'A'.repeat(55)}`, keeper } })
const route = (given: Json) => facilitatorManifest({ route: { host: 'pay.example', ...given } })
const pods = (given: Json) => facilitatorManifest({ pods: given })
const tolerations = (given: Json) => pods({ tolerations: [given] })

/** The same rules apply to resources in three places. */
const resourceRules = (at: string, within: (resources: Json) => Manifest): readonly RuleCase[] => [
  rule(at, 'requests.memory must not be above limits.memory', {
    accepted: {
      'as much': within({ requests: { memory: '0.5Gi' } }),
      'plain bytes': within({ requests: { memory: 268435456 }, limits: { memory: 268435456 } }),
    },
    refused: {
      more: within({ requests: { memory: '513Mi' } }),
      'a limit below the default': within({ limits: { memory: '128Mi' } }),
    },
  }),
  rule(at, 'requests.cpu must not be above limits.cpu', {
    accepted: { 'as much': within({ requests: { cpu: '1000m' }, limits: { cpu: 1 } }) },
    refused: { more: within({ requests: { cpu: 2 }, limits: { cpu: '1500m' } }) },
  }),
]

const wholeSeconds = (field: 'min' | 'max') =>
  rule('spec.networks[].timeouts', `${field} must be whole seconds or minutes, from 1s to 1h`, {
    accepted: { minutes: timeouts({ min: '1m', max: '2m' }), 'one hour': timeouts({ max: '1h' }) },
    refused:
      field === 'min'
        ? { milliseconds: timeouts({ min: '1500ms' }) }
        : {
            milliseconds: timeouts({ max: '15000ms' }),
            'more than an hour': timeouts({ max: '61m' }),
          },
  })

export const facilitatorRuleCases: readonly RuleCase[] = [
  rule(
    '',
    "metadata.name must be at most 63 lower-case letters, digits and '-', begin with a letter and end with a letter or digit",
    {
      accepted: { 'a label': facilitatorManifest({}, { name: 'pay-2' }) },
      refused: {
        dots: facilitatorManifest({}, { name: 'pay.example' }),
        'a digit first': facilitatorManifest({}, { name: '2pay' }),
      },
    },
  ),
  {
    kind: 'Facilitator',
    at: 'spec',
    message:
      'databaseSecretRef cannot be changed: create another Facilitator, or change the content of the Secret',
    accepted: [
      {
        what: 'other replicas',
        before: facilitatorManifest(),
        after: facilitatorManifest({ replicas: 3 }),
      },
    ],
    refused: [
      {
        what: 'another Secret',
        before: facilitatorManifest(),
        after: facilitatorManifest({ databaseSecretRef: { name: 'other' } }),
      },
    ],
  },
  rule('spec', 'apiKeys must be set when a network has requireApiKey: true', {
    accepted: {
      'no key required': networkManifest({ requireApiKey: false }),
      'keys required and set': facilitatorManifest({
        apiKeys,
        networks: [{ channelPool: 'testnet', requireApiKey: true }],
      }),
    },
    refused: {
      'keys required by the second network': facilitatorManifest({
        networks: [{ channelPool: 'testnet' }, { channelPool: 'pubnet', requireApiKey: true }],
      }),
    },
  }),
  rule('spec.autoscale', 'min must not be above max', {
    accepted: { 'one size': facilitatorManifest({ autoscale: { min: 3, max: 3 } }) },
    refused: { 'less than the default of min': facilitatorManifest({ autoscale: { max: 1 } }) },
  }),
  rule('spec.image', 'set exactly one of tag and digest', {
    accepted: { 'a tag': image({ tag: 'v1.0.0' }), 'a digest': image({ digest }) },
    refused: { neither: image({}), both: image({ tag: 'v1.0.0', digest }) },
  }),
  rule('spec.networks[].assets[]', 'minAmount must not be above maxAmount', {
    accepted: {
      neither: asset({}),
      'the first': asset({ minAmount: '1' }),
      'the second': asset({ maxAmount: '1' }),
      'the same': asset({ minAmount: '7', maxAmount: '7' }),
      'more digits': asset({ minAmount: '9', maxAmount: `1${'0'.repeat(38)}` }),
    },
    refused: {
      'a larger digit': asset({ minAmount: '8', maxAmount: '7' }),
      'more digits': asset({ minAmount: '10', maxAmount: '9' }),
    },
  }),
  wholeSeconds('min'),
  wholeSeconds('max'),
  rule('spec.networks[].timeouts', 'min must not be above max', {
    accepted: { 'the same': timeouts({ min: '60s', max: '1m' }) },
    refused: { more: timeouts({ min: '61s', max: '1m' }) },
  }),
  rule('spec.networks[].fees', 'inclusion.floorStroops must not be above inclusion.capStroops', {
    accepted: { 'the same': fees({ inclusion: { floorStroops: '500', capStroops: '500' } }) },
    refused: { more: fees({ inclusion: { floorStroops: '1000', capStroops: '999' } }) },
  }),
  rule('spec.networks[].fees', 'inclusion.capStroops must not be above maxTxFeeStroops', {
    accepted: { 'the same': fees({ maxTxFeeStroops: '10000' }) },
    refused: { more: fees({ maxTxFeeStroops: '9999' }) },
  }),
  rule('spec.networks[].sponsor', 'spendXlmPerHour must be at least 1; leave it out for no limit', {
    accepted: { one: networkManifest({ sponsor: { spendXlmPerHour: '1' } }) },
    refused: { less: networkManifest({ sponsor: { spendXlmPerHour: '0.9999999' } }) },
  }),
  rule('spec.networks[].upto.keeper', 'floorLedgers must be below targetLedgers', {
    accepted: {
      defaults: upto({}),
      'one ledger less': upto({ floorLedgers: 518399 }),
      'another target': upto({ floorLedgers: 518400, targetLedgers: 3110399 }),
    },
    refused: {
      'as many as the default of targetLedgers': upto({ floorLedgers: 518400 }),
      'fewer than the default of floorLedgers': upto({ targetLedgers: 241920 }),
    },
  }),
  ...resourceRules('spec.resources', (resources) => facilitatorManifest({ resources })),
  ...resourceRules('spec.catalog.resources', (resources) =>
    facilitatorManifest({ catalog: { resources } }),
  ),
  ...resourceRules('spec.explorer.resources', (resources) =>
    facilitatorManifest({ explorer: { resources } }),
  ),
  rule(
    'spec.pods',
    'leave out labels that begin with app.kubernetes.io/ or x402.svc.dev/: the operator sets those',
    {
      accepted: { 'other names': pods({ labels: { team: 'a', 'example.com/app': 'b' } }) },
      refused: {
        'a label that pods are found by': pods({ labels: { 'app.kubernetes.io/component': 'a' } }),
        'one of ours among others': pods({
          labels: { team: 'a', 'x402.svc.dev/facilitator': 'b' },
        }),
      },
    },
  ),
  rule(
    'spec.pods',
    'leave out annotations that begin with x402.svc.dev/: the operator sets those',
    {
      accepted: { 'other names': pods({ annotations: { 'example.com/note': 'any text: 1' } }) },
      refused: { 'one of ours': pods({ annotations: { 'x402.svc.dev/config-hash': 'a' } }) },
    },
  ),
  rule('spec.pods.tolerations[]', 'key must be set, unless operator is Exists', {
    accepted: { 'every taint': tolerations({ operator: 'Exists' }) },
    refused: { 'no taint': tolerations({ value: 'a' }) },
  }),
  rule('spec.pods.tolerations[]', 'leave out value when operator is Exists', {
    accepted: { 'a value to be equal to': tolerations({ key: 'a', value: 'b' }) },
    refused: { 'a value': tolerations({ key: 'a', operator: 'Exists', value: 'b' }) },
  }),
  rule('spec.pods.tolerations[]', 'leave out tolerationSeconds, unless effect is NoExecute', {
    accepted: {
      'NoExecute for a while': tolerations({ key: 'a', effect: 'NoExecute', tolerationSeconds: 5 }),
    },
    refused: {
      'another effect': tolerations({ key: 'a', effect: 'NoSchedule', tolerationSeconds: 5 }),
      'no effect': tolerations({ key: 'a', tolerationSeconds: 5 }),
    },
  }),
  rule(
    'spec.route',
    'set exactly one of ingressClassName (an Ingress) and gatewayRef (an HTTPRoute)',
    {
      accepted: {
        'an Ingress': route({ ingressClassName: 'nginx', tlsSecretName: 'tls' }),
        'an HTTPRoute': route({ gatewayRef: { name: 'public' } }),
      },
      refused: {
        neither: route({}),
        both: route({ ingressClassName: 'nginx', gatewayRef: { name: 'public' } }),
      },
    },
  ),
  rule(
    'spec.route',
    'leave out tlsSecretName with gatewayRef: the Gateway terminates TLS with its own certificate',
    {
      accepted: {
        'a certificate of the Ingress': route({ ingressClassName: 'a', tlsSecretName: 'b' }),
      },
      refused: { 'another certificate': route({ gatewayRef: { name: 'a' }, tlsSecretName: 'b' }) },
    },
  ),
  rule('spec.route', 'explorerHost must differ from host', {
    accepted: { 'two hosts': route({ ingressClassName: 'a', explorerHost: 'see.example' }) },
    refused: { 'one host': route({ ingressClassName: 'a', explorerHost: 'pay.example' }) },
  }),
  rule('spec.monitoring', 'interval must be from 1s to 1h', {
    accepted: { 'an hour': facilitatorManifest({ monitoring: { interval: '60m' } }) },
    refused: {
      more: facilitatorManifest({ monitoring: { interval: '2h' } }),
      less: facilitatorManifest({ monitoring: { interval: '900ms' } }),
    },
  }),
]
