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
      .describe('Digest of the image: always the same bytes. Not with tag.'),
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
    min: z.int().min(1).max(100).default(2).describe('The fewest facilitator pods.'),
    max: z.int().min(1).max(100).describe('The most facilitator pods.'),
    targetCpuPercent: z
      .int()
      .min(1)
      .max(100)
      .default(70)
      .describe('Pods are added while they use more of their requested processor than this.'),
    targetInFlightSettlements: z
      .int()
      .min(1)
      .max(1_000)
      .optional()
      .describe(
        'Pods are added while each has more settlements under way than this; needs an adapter that serves Prometheus metrics to the cluster.',
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
    'SHA-256 digests of the accepted keys, as `svc keys new` prints them, with commas or white space between them.',
  ),
})

const keysAreThere: CelRule = {
  rule: 'has(self.apiKeys) || self.networks.all(network, !has(network.requireApiKey) || !network.requireApiKey)',
  message: 'apiKeys must be set when a network has requireApiKey: true',
  reason: 'FieldValueRequired',
}

/** What a Facilitator is asked to be. */
export const facilitatorSpec = z
  .object({
    replicas: z
      .int()
      .min(0)
      .max(100)
      .default(2)
      .describe('Facilitator pods. While autoscale is set the autoscaler writes it.'),
    autoscale: autoscale
      .optional()
      .describe('Makes a HorizontalPodAutoscaler for the facilitator pods.'),
    image: image.optional().describe("Image of every pod; the operator's own when absent."),
    databaseSecretRef: secretKeyRef('url', 'the postgres:// URL').describe(
      'The database, which is that of the pools too. It cannot be changed.',
    ),
    networks: z
      .array(facilitatorNetwork.describe('One network, by its pool.'))
      .min(1)
      .max(2)
      .meta(listMap('channelPool'))
      .describe('Networks to serve: one pool for each.'),
    apiKeys: apiKeys
      .optional()
      .describe('Who may verify and settle where an API key is asked for.'),
    rateLimitPerMinute: z
      .int()
      .min(0)
      .max(1_000_000)
      .default(600)
      .describe(
        'Requests one client address may make in a minute, over all replicas; 0 is no limit.',
      ),
    serviceFeePerSettlementUsd: lumens()
      .default('0')
      .describe('What a settlement is accounted to its caller with, in US dollars.'),
    logLevel: z
      .enum(['Trace', 'Debug', 'Info', 'Warn', 'Error', 'Fatal', 'Silent'])
      .default('Info')
      .describe('How much every pod logs.'),
    resources: resources('100m', '256Mi', '512Mi')
      .prefault({})
      .describe('What each facilitator pod needs.'),
    pods: podSettings.prefault({}).describe('Settings of every pod, whichever part it is of.'),
    catalog: catalog.prefault({}).describe('The catalog of paid services.'),
    explorer: explorer.prefault({}).describe('The explorer of payments.'),
    route: route.optional().describe('The way in from outside the cluster; none when absent.'),
    networkPolicy: networkPolicy.prefault({}).describe('Who may talk to the pods.'),
    monitoring: monitoring.prefault({}).describe('What is made for Prometheus.'),
  })
  .meta(
    validations(
      immutable('databaseSecretRef', 'create another Facilitator, or change what the Secret holds'),
      keysAreThere,
    ),
  )

export type FacilitatorSpec = z.output<typeof facilitatorSpec>
