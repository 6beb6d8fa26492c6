import { z } from 'zod'
import { type CelRule, validations } from '../fields/cel.ts'
import { durationForm } from '../fields/duration.ts'
import {
  annotationMap,
  atomicList,
  duration,
  hostName,
  labelMap,
  labelName,
  objectName,
  secretKeyRef,
  setList,
} from '../fields/fields.ts'
import { hasForm } from '../fields/text-form.ts'
import { networkPolicyFields } from './network-peers.ts'
import { resources } from './resources.ts'
import { settingFields } from './setting-fields.ts'

/* The optional parts of a Facilitator. */

const replicas = (byDefault: number) => z.int().min(0).max(100).default(byDefault)

const quotas = z.object(settingFields('catalog.quotas'))

const embeddings = z.object({
  ...settingFields('catalog.embeddings'),
  secretRef: secretKeyRef('apiKey', 'the API key of the endpoint')
    .optional()
    .describe('The API key of the endpoint; none is sent when absent.'),
})

export const catalog = z.object({
  ...settingFields('catalog'),
  replicas: replicas(2).describe('Number of catalog pods.'),
  quotas: quotas.prefault({}).describe('Limits of new listings.'),
  embeddings: embeddings
    .optional()
    .describe(
      'Replaces the word vectors that ship with the catalog, by which search compares meanings.',
    ),
  resources: resources('100m', '256Mi', '512Mi')
    .prefault({})
    .describe('Resources of each catalog pod.'),
})

export const explorer = z.object({
  enabled: z.boolean().default(false).describe('Whether to run explorer pods.'),
  replicas: replicas(1).describe('Number of explorer pods; one at a time reads the ledger.'),
  ...settingFields('explorer'),
  databaseReplicaSecretRef: secretKeyRef('url', 'the postgres:// URL')
    .optional()
    .describe('A read replica of the database, from which the API and the pages read.'),
  resources: resources('100m', '256Mi', '512Mi')
    .prefault({})
    .describe('Resources of each explorer pod.'),
})

const parentRef = z.object({
  name: objectName().describe('Name of the Gateway.'),
  namespace: labelName()
    .optional()
    .describe("Namespace of the Gateway; the Facilitator's own when absent."),
  sectionName: objectName()
    .optional()
    .describe('Listener of the Gateway; all listeners when absent.'),
  port: z.int().min(1).max(65_535).optional().describe('Port of the listener; any when absent.'),
})

const oneKindOfRoute: CelRule = {
  rule: 'has(self.ingressClassName) != has(self.parentRefs)',
  message: 'set exactly one of ingressClassName (an Ingress) and parentRefs (an HTTPRoute)',
  reason: 'FieldValueInvalid',
}

const gatewayHasItsOwnTls: CelRule = {
  rule: '!has(self.tlsSecretName) || !has(self.parentRefs)',
  message:
    'leave out tlsSecretName with parentRefs: the Gateway terminates TLS with its own certificate',
  reason: 'FieldValueForbidden',
  fieldPath: '.tlsSecretName',
}

const hostsDiffer: CelRule = {
  rule: '!has(self.explorerHost) || !(self.explorerHost in self.hosts)',
  message: 'explorerHost must differ from hosts',
  reason: 'FieldValueInvalid',
  fieldPath: '.explorerHost',
}

export const route = z
  .object({
    hosts: z
      .array(hostName().describe('One host name.'))
      .min(1)
      .max(8)
      .meta(setList)
      .describe('Host names of the facilitator and the catalog; the first is in status.url.'),
    explorerHost: hostName()
      .optional()
      .describe('Host name of the explorer; not reachable from outside when absent.'),
    ingressClassName: objectName()
      .optional()
      .describe('Creates an Ingress of this class. Not with parentRefs.'),
    parentRefs: z
      .array(parentRef.describe('One Gateway.'))
      .min(1)
      .max(4)
      .meta(atomicList)
      .optional()
      .describe('Creates an HTTPRoute of these Gateways. Not with ingressClassName.'),
    tlsSecretName: objectName()
      .optional()
      .describe('Secret with the certificate of the Ingress; plain http when absent.'),
    ...settingFields('route'),
    annotations: annotationMap()
      .optional()
      .describe('Annotations of the Ingress or HTTPRoute, such as for certificates.'),
  })
  .meta(validations(oneKindOfRoute, gatewayHasItsOwnTls, hostsDiffer))

export const monitoring = z
  .object({
    mode: z
      .enum(['Auto', 'Always', 'Never'])
      .default('Auto')
      .describe(
        'Whether to create monitors and alert rules: Auto and Always create them if the cluster serves those kinds; Always reports MonitoringUnavailable if it does not.',
      ),
    monitor: z
      .enum(['PodMonitor', 'ServiceMonitor'])
      .default('PodMonitor')
      .describe('Kind of the monitor.'),
    interval: duration().default('30s').describe('Scrape interval, from 1s to 1h.'),
    labels: labelMap()
      .optional()
      .describe('Labels of the monitors and rules, by which a Prometheus selects them.'),
  })
  .meta(
    validations({
      rule: `!${hasForm('self.interval', durationForm)} || duration(self.interval) >= duration('1s') && duration(self.interval) <= duration('1h')`,
      message: 'interval must be from 1s to 1h',
      reason: 'FieldValueInvalid',
      fieldPath: '.interval',
    }),
  )

const policyFields = Object.keys(networkPolicyFields)

export const networkPolicy = z
  .object({
    mode: z
      .enum(['Always', 'Never'])
      .default('Always')
      .describe('Whether to create NetworkPolicies that allow only the needed connections.'),
    ...networkPolicyFields,
  })
  .meta(
    validations({
      rule: `self.mode != 'Never' || !(${policyFields.map((field) => `has(self.${field})`).join(' || ')})`,
      message: `leave out ${policyFields.join(', ')} while mode is Never: no policy would hold them`,
      reason: 'FieldValueForbidden',
      fieldPath: '.mode',
    }),
  )
