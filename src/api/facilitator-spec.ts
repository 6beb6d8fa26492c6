import { z } from 'zod'
import { type CelRule, immutable, validations } from './cel.ts'
import { facilitatorNetwork } from './facilitator-network.ts'
import { catalog, explorer, monitoring, networkPolicy, route } from './facilitator-parts.ts'
import { listMap, lumens, secretKeyRef } from './fields.ts'
import { podSettings, resources } from './pod-settings.ts'

const image = z
  .object({
    repository: z
      .string()
      .min(1)
      .max(255)
      .regex(/^[a-z0-9]+([._-]+[a-z0-9]+)*(:[0-9]{1,5})?(\/[a-z0-9]+([._-]+[a-z0-9]+)*)*$/)
      .describe('Registry and name of the image, without tag and digest.'),
    tag: z
      .string()
      .min(1)
      .max(128)
      .regex(/^[A-Za-z0-9_][A-Za-z0-9_.-]*$/)
      .optional()
      .describe('Tag of the image. Not with digest.'),
    digest: z
      .string()
      .length(71)
      .regex(/^sha256:[0-9a-f]{64}$/)
      .optional()
      .describe('Digest of the image, which pins its content. Not with tag.'),
    pullPolicy: z
      .enum(['IfNotPresent', 'Always', 'Never'])
      .default('IfNotPresent')
      .describe('When a node pulls the image.'),
  })
  .meta(
    validations({
      rule: 'has(self.tag) != has(self.digest)',
      message: 'set exactly one of tag and digest',
      reason: 'FieldValueInvalid',
    }),
  )

const autoscale = z
  .object({
    min: z.int().min(1).max(100).default(2).describe('Minimum number of facilitator pods.'),
    max: z.int().min(1).max(100).describe('Maximum number of facilitator pods.'),
    targetCpuPercent: z
      .int()
      .min(1)
      .max(100)
      .default(70)
      .describe(
        'Pods are added while they use on average more than this share of their requested CPU, in percent.',
      ),
    targetInFlightSettlements: z
      .int()
      .min(1)
      .max(1_000)
      .optional()
      .describe(
        'Pods are added while there are more unfinished settlements per pod than this; needs an adapter that serves Prometheus metrics to the cluster.',
      ),
  })
  .meta(
    validations({
      rule: 'self.min <= self.max',
      message: 'min must not be above max',
      reason: 'FieldValueInvalid',
      fieldPath: '.min',
    }),
  )

const apiKeys = z.object({
  digestsSecretRef: secretKeyRef('sha256', 'the digests').describe(
    'SHA-256 digests of the accepted keys, as `svc keys new` prints them, separated by commas or white space.',
  ),
})

const apiKeysAreSet: CelRule = {
  rule: 'has(self.apiKeys) || self.networks.all(network, !has(network.requireApiKey) || !network.requireApiKey)',
  message: 'apiKeys must be set when a network has requireApiKey: true',
  reason: 'FieldValueRequired',
}

/** The desired state of a Facilitator. */
export const facilitatorSpec = z
  .object({
    replicas: z
      .int()
      .min(0)
      .max(100)
      .default(2)
      .describe(
        'Number of facilitator pods. While autoscale is set, the autoscaler writes this field.',
      ),
    autoscale: autoscale
      .optional()
      .describe('Creates a HorizontalPodAutoscaler for the facilitator pods.'),
    image: image.optional().describe("Image of every pod; the operator's own when absent."),
    databaseSecretRef: secretKeyRef('url', 'the postgres:// URL').describe(
      'The database; the pools use the same one. It cannot be changed.',
    ),
    networks: z
      .array(facilitatorNetwork.describe('One network, by its pool.'))
      .min(1)
      .max(2)
      .meta(listMap('channelPool'))
      .describe('Networks to serve: one pool for each.'),
    apiKeys: apiKeys
      .optional()
      .describe('API keys that may verify and settle on networks with requireApiKey.'),
    rateLimitPerMinute: z
      .int()
      .min(0)
      .max(1_000_000)
      .default(600)
      .describe(
        'Requests without an accepted API key that one client address may send in a minute, over all replicas; 0 is no limit.',
      ),
    rateLimitPerKeyPerMinute: z
      .int()
      .min(0)
      .max(1_000_000)
      .default(6_000)
      .describe(
        'Requests that may carry one API key of apiKeys in a minute, from any address, over all replicas; 0 is no limit.',
      ),
    settlementRetentionDays: z
      .int()
      .min(1)
      .max(3_650)
      .optional()
      .describe(
        'Settlements that ended this many days ago are deleted once their authorizations have long expired; all are kept when absent.',
      ),
    serviceFeePerSettlementUsd: lumens()
      .default('0')
      .describe('Service fee in USD, which each settlement adds to the usage of its caller.'),
    logLevel: z
      .enum(['Trace', 'Debug', 'Info', 'Warn', 'Error', 'Fatal', 'Silent'])
      .default('Info')
      .describe('Log level of every pod.'),
    resources: resources('100m', '256Mi', '512Mi')
      .prefault({})
      .describe('Resources of each facilitator pod.'),
    pods: podSettings.prefault({}).describe('Settings of all pods of all parts.'),
    catalog: catalog.prefault({}).describe('The catalog of paid services.'),
    explorer: explorer.prefault({}).describe('The explorer of payments.'),
    route: route.optional().describe('Access from outside the cluster; none when absent.'),
    networkPolicy: networkPolicy
      .prefault({})
      .describe('Which connections the pods accept and open.'),
    monitoring: monitoring.prefault({}).describe('Objects for Prometheus.'),
  })
  .meta(
    validations(
      immutable(
        'databaseSecretRef',
        'create another Facilitator, or change the content of the Secret',
      ),
      apiKeysAreSet,
    ),
  )
