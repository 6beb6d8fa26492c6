import { usdcContracts } from '../../../src/platform/core/caip2.ts'
import { facilitatorRule as rule } from './facilitator-rule.ts'
import { facilitatorManifest, type Json, type Manifest, networkManifest } from './manifests.ts'
import type { RuleCase } from './rule-cases.ts'
import { templateRuleCases } from './template-rule-cases.ts'
import { secretInUrlRules, urlRules } from './url-rule.ts'

const image = (more: Json) =>
  facilitatorManifest({ image: { repository: 'registry.example/svc', ...more } })
const digest = `sha256:${'0'.repeat(64)}`
const apiKeys = { digestsSecretRef: { name: 'x402-api-keys' } }
const asset = (given: Json) =>
  networkManifest({
    assets: [{ contract: `C${'A'.repeat(55)}`, symbol: 'USDC', decimals: 7, ...given }],
  })
const timeouts = (given: Json) => networkManifest({ timeouts: given })
const fees = (given: Json) => networkManifest({ fees: given })
const upto = (keeper: Json) => networkManifest({ upto: { contract: `C${'A'.repeat(55)}`, keeper } })
const service = (given: Json) => facilitatorManifest({ service: given })
const watched = (watchedAssets: readonly string[]) =>
  facilitatorManifest({
    networks: [{ channelPool: 'testnet', watchedAssets }],
    explorer: { enabled: true },
  })
const route = (given: Json) => facilitatorManifest({ route: { hosts: ['pay.example'], ...given } })

const routeWithExplorer = (explorerHost: string) =>
  facilitatorManifest({
    route: { hosts: ['pay.example'], ingressClassName: 'a', explorerHost },
    explorer: { enabled: true },
  })

/** The same rules apply to resources in three places. */
const resourceRules = (at: string, within: (resources: Json) => Manifest): readonly RuleCase[] => [
  rule(
    at,
    'requests.memory (256Mi when left out) must not be above limits.memory (512Mi when left out)',
    {
      accepted: {
        'as much': within({ requests: { memory: '0.5Gi' } }),
        'plain bytes': within({ requests: { memory: 268435456 }, limits: { memory: 268435456 } }),
      },
      refused: {
        more: within({ requests: { memory: '513Mi' } }),
        'a limit below the default': within({ limits: { memory: '128Mi' } }),
      },
    },
  ),
  rule(at, 'limits.memory must be at least 64Mi', {
    accepted: { 'as little': within({ requests: { memory: '1Mi' }, limits: { memory: '64Mi' } }) },
    refused: {
      'one byte': within({ requests: { memory: 1 }, limits: { memory: '1' } }),
      'thousandths of a byte': within({ requests: { memory: 0 }, limits: { memory: '512m' } }),
    },
  }),
  rule(at, 'requests.memory must be at most 1Ti', {
    accepted: { 'as much': within({ requests: { memory: '1Ti' }, limits: { memory: '1Ti' } }) },
    refused: { more: within({ requests: { memory: '1Ei' }, limits: { memory: '1Ei' } }) },
  }),
  rule(at, 'requests.cpu (100m when left out) must not be above limits.cpu', {
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

const urls = (at: string, withUrl: (url: string) => Manifest): readonly RuleCase[] => [
  urlRules(at, withUrl),
  secretInUrlRules(at, withUrl),
]

const urlRuleCases: readonly RuleCase[] = [
  ...urls('spec.catalog.embeddings.url', (url) =>
    facilitatorManifest({ catalog: { enabled: true, embeddings: { url, model: 'small' } } }),
  ),
  ...urls('spec.explorer.registry[]', (url) =>
    facilitatorManifest({ explorer: { enabled: true, registry: [url] } }),
  ),
  ...urls('spec.tracing.endpoint', (endpoint) => facilitatorManifest({ tracing: { endpoint } })),
]

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
  rule('spec', 'apiKeys must be set when a network has access: ApiKeys', {
    accepted: {
      'no key required': networkManifest({ access: 'Everyone' }),
      'keys required and set': facilitatorManifest({
        apiKeys,
        networks: [{ channelPool: 'testnet', access: 'ApiKeys' }],
      }),
    },
    refused: {
      'keys required by the second network': facilitatorManifest({
        networks: [{ channelPool: 'testnet' }, { channelPool: 'pubnet', access: 'ApiKeys' }],
      }),
    },
  }),
  rule('spec.autoscale', 'minReplicas must not be above maxReplicas', {
    accepted: {
      'one size': facilitatorManifest({ autoscale: { minReplicas: 3, maxReplicas: 3 } }),
      'a maximum below the default minimum': facilitatorManifest({ autoscale: { maxReplicas: 1 } }),
    },
    refused: { more: facilitatorManifest({ autoscale: { minReplicas: 4, maxReplicas: 3 } }) },
  }),
  rule('spec.image', 'set tag, digest or both', {
    accepted: {
      'a tag': image({ tag: 'v1.0.0' }),
      'a digest': image({ digest }),
      both: image({ tag: 'v1.0.0', digest }),
    },
    refused: { neither: image({}) },
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
  // N2 of a trial of the operator: what can never be right.
  rule(
    'spec.networks[].assets[]',
    'maxAmount must be at least 1: with 0 no payment is accepted; leave it out for no limit',
    {
      accepted: { one: asset({ maxAmount: '1' }), 'no least': asset({ minAmount: '0' }) },
      refused: { nothing: asset({ maxAmount: '0' }) },
    },
  ),
  rule('spec.networks[].assets[]', 'decimals must be 7: the contract is that of USDC', {
    accepted: {
      USDC: asset({ contract: usdcContracts['stellar:testnet'] }),
      'another contract': asset({ decimals: 6 }),
    },
    refused: {
      'of testnet': asset({ contract: usdcContracts['stellar:testnet'], decimals: 6 }),
      'of pubnet': asset({ contract: usdcContracts['stellar:pubnet'], decimals: 0 }),
    },
  }),
  rule('spec.networks[].watchedAssets', 'leave out the contracts beside All', {
    accepted: {
      all: watched(['All']),
      two: watched([`C${'A'.repeat(55)}`, `C${'B'.repeat(55)}`]),
    },
    refused: { both: watched(['All', `C${'A'.repeat(55)}`]) },
  }),
  wholeSeconds('min'),
  wholeSeconds('max'),
  rule(
    'spec.networks[].timeouts',
    'min (10s when left out) must not be above max (900s when left out)',
    {
      accepted: { 'the same': timeouts({ min: '60s', max: '1m' }) },
      refused: { more: timeouts({ min: '61s', max: '1m' }) },
    },
  ),
  rule(
    'spec.networks[].fees',
    'inclusion.floorStroops (100 when left out) must not be above inclusion.capStroops (10000 when left out)',
    {
      accepted: { 'the same': fees({ inclusion: { floorStroops: '500', capStroops: '500' } }) },
      refused: { more: fees({ inclusion: { floorStroops: '1000', capStroops: '999' } }) },
    },
  ),
  rule(
    'spec.networks[].fees',
    'inclusion.capStroops (10000 when left out) must not be above maxTxFeeStroops (300000 when left out)',
    {
      accepted: { 'the same': fees({ maxTxFeeStroops: '10000' }) },
      refused: { more: fees({ maxTxFeeStroops: '9999' }) },
    },
  ),
  rule(
    'spec.networks[].timeouts',
    'max must be at least 10s: a payment that is valid for less expires before it is settled',
    {
      accepted: { 'two ledgers': timeouts({ min: '1s', max: '10s' }) },
      refused: {
        less: timeouts({ min: '1s', max: '9s' }),
        'N2: a second': timeouts({ min: '1s', max: '1s' }),
      },
    },
  ),
  rule(
    'spec.networks[].fees',
    'maxTxFeeStroops (300000 when left out) must be above twice inclusion.floorStroops (100 when left out): a settlement bids that for two operations, and pays for resources besides',
    {
      accepted: {
        more: fees({ maxTxFeeStroops: '201', inclusion: { capStroops: '100' } }),
      },
      refused: {
        'the bids alone': fees({ maxTxFeeStroops: '200', inclusion: { capStroops: '100' } }),
        'the base fee': fees({ maxTxFeeStroops: '100', inclusion: { capStroops: '100' } }),
      },
    },
  ),
  rule('spec.networks[].fees', 'maxTxFeeStroops must be at most 1000000000, which are 100 XLM', {
    accepted: { 'as much': fees({ maxTxFeeStroops: '1000000000' }) },
    refused: {
      more: fees({ maxTxFeeStroops: '1000000001' }),
      'N8: a slip': fees({ maxTxFeeStroops: '99999999999999' }),
    },
  }),
  rule('spec.networks[].sponsor', 'reserveXlm must be at most 1000000', {
    accepted: { 'as much': networkManifest({ sponsor: { reserveXlm: '1000000' } }) },
    refused: { stroops: networkManifest({ sponsor: { reserveXlm: '99999999999' } }) },
  }),
  rule('spec.networks[].sponsor', 'spendXlmPerHour must be at most 1000000', {
    accepted: { 'as much': networkManifest({ sponsor: { spendXlmPerHour: '1000000' } }) },
    refused: { more: networkManifest({ sponsor: { spendXlmPerHour: '1000000.0000001' } }) },
  }),
  rule('spec.networks[].sponsor', 'spendXlmPerHour must be at least 1; leave it out for no limit', {
    accepted: { one: networkManifest({ sponsor: { spendXlmPerHour: '1' } }) },
    refused: { less: networkManifest({ sponsor: { spendXlmPerHour: '0.9999999' } }) },
  }),
  rule(
    'spec.networks[].upto.keeper',
    'floorLedgers (241920 when left out) must be below targetLedgers (518400 when left out)',
    {
      accepted: {
        defaults: upto({}),
        'one ledger less': upto({ floorLedgers: 518399 }),
        'another target': upto({ floorLedgers: 518400, targetLedgers: 3110399 }),
      },
      refused: {
        'as many as the default of targetLedgers': upto({ floorLedgers: 518400 }),
        'fewer than the default of floorLedgers': upto({ targetLedgers: 241920 }),
      },
    },
  ),
  ...resourceRules('spec.resources', (resources) => facilitatorManifest({ resources })),
  ...resourceRules('spec.catalog.resources', (resources) =>
    facilitatorManifest({ catalog: { resources } }),
  ),
  ...resourceRules('spec.explorer.resources', (resources) =>
    facilitatorManifest({ explorer: { resources } }),
  ),
  ...templateRuleCases,
  ...urlRuleCases,
  rule(
    'spec.route',
    'set exactly one of ingressClassName (an Ingress) and parentRefs (an HTTPRoute)',
    {
      accepted: {
        'an Ingress': route({ ingressClassName: 'nginx', tlsSecretName: 'tls' }),
        'an HTTPRoute': route({ parentRefs: [{ name: 'public' }] }),
      },
      refused: {
        neither: route({}),
        both: route({ ingressClassName: 'nginx', parentRefs: [{ name: 'public' }] }),
      },
    },
  ),
  rule(
    'spec.route',
    'leave out tlsSecretName with parentRefs: the Gateway terminates TLS with its own certificate',
    {
      accepted: {
        'a certificate of the Ingress': route({ ingressClassName: 'a', tlsSecretName: 'b' }),
      },
      refused: {
        'another certificate': route({ parentRefs: [{ name: 'a' }], tlsSecretName: 'b' }),
      },
    },
  ),
  rule('spec.route', 'explorerHost must differ from hosts', {
    accepted: { 'two hosts': routeWithExplorer('see.example') },
    refused: { 'one host': routeWithExplorer('pay.example') },
  }),
  rule('spec.service', 'leave out loadBalancerClass, unless type is LoadBalancer', {
    accepted: { 'a LoadBalancer': service({ type: 'LoadBalancer', loadBalancerClass: 'a/b' }) },
    refused: { 'no type': service({ loadBalancerClass: 'a/b' }) },
  }),
  rule('spec.service', 'leave out externalTrafficPolicy, unless type is NodePort or LoadBalancer', {
    accepted: { 'a NodePort': service({ type: 'NodePort', externalTrafficPolicy: 'Local' }) },
    refused: { 'a ClusterIP': service({ type: 'ClusterIP', externalTrafficPolicy: 'Local' }) },
  }),
  rule('spec.podDisruptionBudget', 'set one of minAvailable and maxUnavailable', {
    accepted: { one: facilitatorManifest({ podDisruptionBudget: { minAvailable: '50%' } }) },
    refused: {
      both: facilitatorManifest({ podDisruptionBudget: { minAvailable: 1, maxUnavailable: 1 } }),
    },
  }),
  rule('spec.monitoring', 'interval must be from 1s to 1h', {
    accepted: { 'an hour': facilitatorManifest({ monitoring: { interval: '60m' } }) },
    refused: {
      more: facilitatorManifest({ monitoring: { interval: '2h' } }),
      less: facilitatorManifest({ monitoring: { interval: '900ms' } }),
    },
  }),
]
