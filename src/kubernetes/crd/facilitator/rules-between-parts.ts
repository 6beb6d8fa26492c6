import { serveSettings } from '../../../settings/rows/processes.ts'
import type { CelRule } from '../fields/cel.ts'
import { percentageForm } from '../fields/percentage.ts'
import { ofQuantities, quantityOf } from '../fields/quantity.ts'
import { hasForm } from '../fields/text-form.ts'

/*
 * Rules of a Facilitator's spec between fields of different objects. A field that has no effect beside others is refused: a
 * reader of the manifest would take it for one that has.
 */

const apiKeysAreSet: CelRule = {
  rule: "has(self.apiKeys) || self.networks.all(network, !has(network.access) || network.access != 'ApiKeys')",
  message: 'apiKeys must be set when a network has access: ApiKeys',
  reason: 'FieldValueRequired',
}

/** Without access, a network of stellar:testnet is open to everyone, keys or not. */
const accessIsSaid: CelRule = {
  rule: '!has(self.apiKeys) || self.networks.all(network, has(network.access))',
  message:
    'set access in every network beside apiKeys: ApiKeys for callers with a key alone, Everyone for others too',
  reason: 'FieldValueInvalid',
  fieldPath: '.networks',
}

const KEY_LIMIT = serveSettings.RATE_LIMIT_PER_KEY_PER_MINUTE.fieldDefault

const keysHaveLimits: CelRule = {
  rule: `has(self.apiKeys) || self.rateLimitPerKeyPerMinute == ${KEY_LIMIT}`,
  message: 'leave out rateLimitPerKeyPerMinute without apiKeys: no caller has a key',
  reason: 'FieldValueForbidden',
  fieldPath: '.rateLimitPerKeyPerMinute',
}

const accountIsOurs: CelRule = {
  rule: '!has(self.serviceAccount) || !has(self.serviceAccount.annotations) || !has(self.podTemplate.spec.serviceAccountName)',
  message:
    'leave out annotations while podTemplate.spec.serviceAccountName is set: annotate the ServiceAccount of that name',
  reason: 'FieldValueForbidden',
  fieldPath: '.serviceAccount.annotations',
}

/**
 * @param field its path, and of the object that the API server names
 * @param isSet whether it is, in CEL
 */
const needsPart = (part: 'catalog' | 'explorer', field: string, isSet: string): CelRule => ({
  rule: `self.${part}.enabled || !(${isSet})`,
  message: `${field} needs ${part}.enabled: true; ${part}.replicas: 0 stops the ${part} and keeps its settings`,
  reason: 'FieldValueForbidden',
  fieldPath: `.${field.split('[]')[0]}`,
})

const ofNetworks = (field: string): CelRule =>
  needsPart(
    'explorer',
    `networks[].${field}`,
    `self.networks.exists(network, has(network.${field}) && network.${field}.size() > 0)`,
  )

const partsAreOn: readonly CelRule[] = [
  needsPart('catalog', 'catalog.embeddings', 'has(self.catalog.embeddings)'),
  needsPart('explorer', 'explorer.registry', 'self.explorer.registry.size() > 0'),
  needsPart('explorer', 'explorer.retentionDays', 'has(self.explorer.retentionDays)'),
  needsPart(
    'explorer',
    'explorer.databaseReplicaSecretRef',
    'has(self.explorer.databaseReplicaSecretRef)',
  ),
  needsPart('explorer', 'route.explorerHost', 'has(self.route) && has(self.route.explorerHost)'),
  ofNetworks('watchedAssets'),
  ofNetworks('otherUptoContracts'),
]

const replicaIsAnother: CelRule = {
  rule: [
    '!has(self.explorer.databaseReplicaSecretRef)',
    'self.explorer.databaseReplicaSecretRef.name != self.database.secretRef.name',
    'self.explorer.databaseReplicaSecretRef.key != self.database.secretRef.key',
  ].join(' || '),
  message: 'must name another key than database.secretRef: leave it out without a read replica',
  reason: 'FieldValueInvalid',
  fieldPath: '.explorer.databaseReplicaSecretRef',
}

const cpuIsMeasured: CelRule = {
  rule: `!has(self.autoscale) || ${ofQuantities(
    ['self.resources.requests.cpu'],
    `${quantityOf('self.resources.requests.cpu')}.compareTo(quantity('0')) > 0`,
  )}`,
  message:
    'resources.requests.cpu must be above 0 beside autoscale, which measures CPU as a share of it',
  reason: 'FieldValueInvalid',
  fieldPath: '.resources.requests.cpu',
}

const MIN_AVAILABLE = 'self.podDisruptionBudget.minAvailable'
const LEAST_PODS =
  '(has(self.autoscale) ? (has(self.autoscale.minReplicas) ? self.autoscale.minReplicas : (self.autoscale.maxReplicas < 2 ? 1 : 2)) : self.replicas)'

/** Whether one of so many pods may be missing. A single pod has no budget. Kubernetes rounds a percentage up. */
const leavesOne = (pods: string): string => {
  const text = `string(${MIN_AVAILABLE})`
  const share = `int(${text}.substring(0, ${text}.size() - 1)) * ${pods} <= (${pods} - 1) * 100`
  return `(${pods} < 2 || (type(${MIN_AVAILABLE}) == int ? ${MIN_AVAILABLE} < ${pods} : ${share}))`
}

const nodesCanBeDrained: CelRule = {
  rule: [
    `!has(${MIN_AVAILABLE})`,
    `!(type(${MIN_AVAILABLE}) == int || ${hasForm(`string(${MIN_AVAILABLE})`, percentageForm)})`,
    [
      leavesOne(LEAST_PODS),
      ...['catalog', 'explorer'].map(
        (part) => `(!self.${part}.enabled || ${leavesOne(`self.${part}.replicas`)})`,
      ),
    ].join(' && '),
  ].join(' || '),
  message:
    'minAvailable must be less than the pods of each part with two or more (replicas, autoscale.minReplicas and catalog.replicas are 2 when left out): no node with such a pod could be drained',
  reason: 'FieldValueInvalid',
  fieldPath: '.podDisruptionBudget.minAvailable',
}

export const rulesBetweenParts: readonly CelRule[] = [
  apiKeysAreSet,
  accessIsSaid,
  keysHaveLimits,
  accountIsOurs,
  ...partsAreOn,
  replicaIsAnother,
  cpuIsMeasured,
  nodesCanBeDrained,
]
