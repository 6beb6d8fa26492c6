import { facilitatorRule as rule } from './facilitator-rule.ts'
import { facilitatorManifest, type Json, networkManifest } from './manifests.ts'
import type { RuleCase } from './rule-cases.ts'

const earlierDatabase = { database: undefined, databaseSecretRef: { name: 'x402-database' } }
const autoscale = (given: Json) => facilitatorManifest({ autoscale: given })
const route = (given: Json) => facilitatorManifest({ route: { ingressClassName: 'a', ...given } })
const gateway = (given: Json) => facilitatorManifest({ route: { hosts: ['a.example'], ...given } })
const policy = (given: Json) => facilitatorManifest({ networkPolicy: given })
const service = (given: Json) => facilitatorManifest({ service: given })
const earlier = (
  at: string,
  before: string,
  present: string,
  write: (given: Json) => ReturnType<typeof policy>,
  values: { readonly before: unknown; readonly present: unknown },
) =>
  rule(at, `leave out ${before}: ${present} replaces it`, {
    accepted: {
      before: write({ [before]: values.before }),
      present: write({ [present]: values.present }),
    },
    refused: { both: write({ [before]: values.before, [present]: values.present }) },
  })

/** Rules about fields that have an earlier name, and about new ones. */
export const earlierNameRuleCases: readonly RuleCase[] = [
  rule('spec', 'set database.secretRef: the Secret with the postgres:// URL', {
    accepted: { 'the earlier name': facilitatorManifest(earlierDatabase) },
    refused: { neither: facilitatorManifest({ database: undefined }) },
  }),
  rule('spec', 'leave out databaseSecretRef: database replaces it', {
    accepted: { 'the present name': facilitatorManifest() },
    refused: { both: facilitatorManifest({ databaseSecretRef: { name: 'x402-database' } }) },
  }),
  rule('spec', 'leave out pods: podTemplate replaces it', {
    accepted: {
      'the earlier name': facilitatorManifest({ pods: { labels: { team: 'a' } } }),
      'what an earlier version filled in': facilitatorManifest({
        pods: { topologySpread: [{ topologyKey: 'zone' }] },
        podTemplate: {},
      }),
    },
    refused: {
      'labels of both': facilitatorManifest({
        pods: { labels: { team: 'a' } },
        podTemplate: { metadata: { labels: { team: 'a' } } },
      }),
      'affinity of the earlier one': facilitatorManifest({
        pods: { affinity: {} },
        podTemplate: {},
      }),
    },
  }),
  rule('spec.autoscale', 'set maxReplicas', {
    accepted: { 'the earlier name': autoscale({ max: 3 }) },
    refused: { neither: autoscale({}), 'a mixture': autoscale({ minReplicas: 2, max: 3 }) },
  }),
  earlier('spec.autoscale', 'max', 'maxReplicas', autoscale, { before: 3, present: 3 }),
  rule('spec.autoscale', 'min must not be above max', {
    accepted: { 'one size': autoscale({ min: 3, max: 3 }) },
    refused: { more: autoscale({ min: 4, max: 3 }) },
  }),
  earlier('spec.networks[]', 'requireApiKey', 'access', networkManifest, {
    before: false,
    present: 'Everyone',
  }),
  rule('spec.networks[].watchedAssets', 'leave out the contracts beside All', {
    accepted: {
      all: networkManifest({ watchedAssets: ['All'] }),
      two: networkManifest({ watchedAssets: [`C${'A'.repeat(55)}`, `C${'B'.repeat(55)}`] }),
    },
    refused: { both: networkManifest({ watchedAssets: ['All', `C${'A'.repeat(55)}`] }) },
  }),
  rule('spec.route', 'set hosts: the host names of the facilitator and the catalog', {
    accepted: { 'the earlier name': route({ host: 'a.example' }) },
    refused: { neither: route({}) },
  }),
  earlier('spec.route', 'host', 'hosts', route, { before: 'a.example', present: ['a.example'] }),
  earlier('spec.route', 'gatewayRef', 'parentRefs', gateway, {
    before: { name: 'a' },
    present: [{ name: 'a' }, { name: 'b' }],
  }),
  earlier('spec.networkPolicy', 'clientNamespaces', 'clients', policy, {
    before: { team: 'a' },
    present: [{ ipBlock: { cidr: '10.0.0.0/8' } }],
  }),
  earlier('spec.networkPolicy', 'monitoringNamespaces', 'monitoring', policy, {
    before: { team: 'a' },
    present: [{ namespaceSelector: {} }],
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
]
