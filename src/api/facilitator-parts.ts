import { z } from 'zod'
import { type CelRule, validations } from './cel.ts'
import {
  annotationMap,
  atomicObject,
  count,
  duration,
  hostName,
  httpUrl,
  labelMap,
  labelName,
  objectName,
  secretKeyRef,
  setList,
} from './fields.ts'
import { resources } from './pod-settings.ts'

/* What stands beside the facilitator's own pods: each can be left out. */

const replicas = (byDefault: number) => z.int().min(0).max(100).default(byDefault)

const quotas = z.object({
  newListingsPerOwnerPerHour: count()
    .default(20)
    .describe('New listings that one payTo address gets in an hour.'),
  newListingsPerPayerPerHour: count()
    .default(10)
    .describe('New listings that payments of one payer bring in an hour.'),
  newListingsPerHour: count().default(1_000).describe('New listings of an hour, altogether.'),
})

const embeddings = z.object({
  url: httpUrl().describe('Base address of an embeddings endpoint that speaks as OpenAI does.'),
  model: z.string().min(1).max(128).describe('Name of the model.'),
  secretRef: secretKeyRef('apiKey', 'the API key of the endpoint')
    .optional()
    .describe('The API key of the endpoint; none is sent when absent.'),
})

export const catalog = z.object({
  enabled: z.boolean().default(false).describe('Whether there are catalog pods.'),
  replicas: replicas(2).describe('How many of them.'),
  quotas: quotas.prefault({}).describe('Limits to what gets listed, against floods.'),
  embeddings: embeddings
    .optional()
    .describe('Lets search compare meanings as well; by words alone when absent.'),
  resources: resources('100m', '256Mi', '512Mi')
    .prefault({})
    .describe('What each catalog pod needs.'),
})

export const explorer = z.object({
  enabled: z.boolean().default(false).describe('Whether there are explorer pods.'),
  replicas: replicas(1).describe('How many of them; one at a time reads the ledger.'),
  registry: z
    .array(httpUrl().describe('Base address of one facilitator.'))
    .max(64)
    .meta(setList)
    .default([])
    .describe('Other facilitators whose payments are told apart.'),
  resources: resources('100m', '256Mi', '512Mi')
    .prefault({})
    .describe('What each explorer pod needs.'),
})

const gatewayRef = z
  .object({
    name: objectName().describe('Name of the Gateway.'),
    namespace: labelName()
      .optional()
      .describe("Namespace of the Gateway; the Facilitator's own when absent."),
    sectionName: objectName()
      .optional()
      .describe('Listener of the Gateway; every one when absent.'),
  })
  .meta(atomicObject)

const oneWayIn: CelRule = {
  rule: 'has(self.ingressClassName) != has(self.gatewayRef)',
  message: 'set exactly one of ingressClassName (an Ingress) and gatewayRef (an HTTPRoute)',
  reason: 'FieldValueInvalid',
}

const gatewayHasItsOwnTls: CelRule = {
  rule: '!has(self.tlsSecretName) || !has(self.gatewayRef)',
  message: 'leave out tlsSecretName with gatewayRef: the Gateway ends TLS with its own certificate',
  reason: 'FieldValueForbidden',
  fieldPath: '.tlsSecretName',
}

const hostsDiffer: CelRule = {
  rule: '!has(self.explorerHost) || self.explorerHost != self.host',
  message: 'explorerHost must differ from host',
  reason: 'FieldValueInvalid',
  fieldPath: '.explorerHost',
}

export const route = z
  .object({
    host: hostName().describe('Host name of the facilitator and the catalog.'),
    explorerHost: hostName()
      .optional()
      .describe('Host name of the explorer; not reachable from outside when absent.'),
    ingressClassName: objectName()
      .optional()
      .describe('Makes an Ingress of this class. Not with gatewayRef.'),
    gatewayRef: gatewayRef
      .optional()
      .describe('Makes an HTTPRoute of this Gateway. Not with ingressClassName.'),
    tlsSecretName: objectName()
      .optional()
      .describe('Secret with the certificate of the Ingress; plain http when absent.'),
    trustedProxyHops: z
      .int()
      .min(0)
      .max(10)
      .default(1)
      .describe('Proxies in front of the pods that append to X-Forwarded-For.'),
    annotations: annotationMap()
      .optional()
      .describe('Annotations of the Ingress or HTTPRoute, such as for certificates.'),
  })
  .meta(validations(oneWayIn, gatewayHasItsOwnTls, hostsDiffer))

export const monitoring = z
  .object({
    mode: z
      .enum(['Auto', 'Always', 'Never'])
      .default('Auto')
      .describe(
        'Whether monitors and alert rules are made: Auto if the cluster knows those kinds, Always reports when it does not.',
      ),
    monitor: z
      .enum(['PodMonitor', 'ServiceMonitor'])
      .default('PodMonitor')
      .describe('The kind of monitor.'),
    interval: duration().default('30s').describe('How often Prometheus reads. From 1s to 1h.'),
    labels: labelMap()
      .optional()
      .describe('Labels by which a Prometheus selects its monitors and rules.'),
  })
  .meta(
    validations({
      rule: "duration(self.interval) >= duration('1s') && duration(self.interval) <= duration('1h')",
      message: 'interval must be from 1s to 1h',
      reason: 'FieldValueInvalid',
      fieldPath: '.interval',
    }),
  )

export const networkPolicy = z.object({
  mode: z
    .enum(['Always', 'Never'])
    .default('Always')
    .describe('Whether a NetworkPolicy lets only the flows through that are needed.'),
  clientNamespaces: labelMap()
    .optional()
    .describe(
      'Labels of the namespaces whose pods may send payments; every namespace when absent.',
    ),
  monitoringNamespaces: labelMap()
    .optional()
    .describe('Labels of the namespaces whose pods may read metrics; every namespace when absent.'),
})
