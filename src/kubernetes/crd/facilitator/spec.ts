import { z } from 'zod'
import { validations } from '../fields/cel.ts'
import { listMap, secretKeyRef } from '../fields/fields.ts'
import { formedText } from '../fields/text-form.ts'
import { autoscale } from './autoscale.ts'
import { database } from './database.ts'
import { disruptionBudget, service, serviceAccount, tracing } from './exposure.ts'
import { facilitatorNetwork } from './network.ts'
import { catalog, explorer, monitoring, networkPolicy, route } from './parts.ts'
import { podTemplate } from './pod-template.ts'
import { resources } from './resources.ts'
import { rulesBetweenParts } from './rules-between-parts.ts'
import { settingFields } from './setting-fields.ts'

const IMAGE_WORD = '[a-z0-9]+([._-]+[a-z0-9]+)*'

const image = z
  .object({
    repository: formedText(255, {
      // A port stands only in front of a path: a number after the last colon would be a tag.
      expression: `^${IMAGE_WORD}((:[0-9]{1,5})?(/${IMAGE_WORD})+)?$`,
      message:
        'must be registry and name of an image in lower case, without tag and digest, such as registry.example/svc',
    }).describe('Registry and name of the image, without tag and digest.'),
    tag: formedText(128, {
      expression: '^[A-Za-z0-9_][A-Za-z0-9_.-]*$',
      message:
        "must be a tag: letters, digits, '_', '.' and '-', none of the last two at its start",
    })
      .optional()
      .describe('Tag of the image; with a digest only the version that labels name.'),
    digest: formedText(71, {
      expression: '^sha256:[0-9a-f]{64}$',
      message: 'must be sha256: and 64 characters, each one of 0 to 9 and a to f',
    })
      .optional()
      .describe('Digest of the image, which pins its content.'),
    pullPolicy: z
      .enum(['IfNotPresent', 'Always', 'Never'])
      .default('IfNotPresent')
      .describe('When a node pulls the image.'),
  })
  .meta(
    validations({
      rule: 'has(self.tag) || has(self.digest)',
      message: 'set tag, digest or both',
      reason: 'FieldValueInvalid',
    }),
  )

const apiKeys = z.object({
  digestsSecretRef: secretKeyRef('sha256', 'the digests').describe(
    'The accepted keys: entries as `svc keys new` prints them, each a SHA-256 digest, alone or with a name and a time of validity, separated by commas or white space.',
  ),
})

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
    database: database.describe('The database; the pools use the same one.'),
    networks: z
      .array(facilitatorNetwork.describe('One network, by its pool.'))
      .min(1)
      .max(2)
      .meta(listMap('channelPool'))
      .describe('Networks to serve: one pool for each.'),
    apiKeys: apiKeys
      .optional()
      .describe('API keys that may verify and settle on networks with access: ApiKeys.'),
    ...settingFields(''),
    resources: resources('100m', '256Mi', '512Mi')
      .prefault({})
      .describe('Resources of each facilitator pod.'),
    podTemplate: podTemplate
      .prefault({})
      .describe('What to add to the pods of all parts and of the Jobs, and to change in them.'),
    serviceAccount: serviceAccount
      .optional()
      .describe('The ServiceAccount that the operator creates for the pods.'),
    service: service
      .prefault({})
      .describe(
        'The Service of the facilitator. The admin port has a Service of its own, which stays inside the cluster.',
      ),
    podDisruptionBudget: disruptionBudget
      .prefault({})
      .describe('Of each part with two or more pods; at most one pod is unavailable when absent.'),
    tracing: tracing.optional().describe('Traces of all pods; none when absent.'),
    catalog: catalog.prefault({}).describe('The catalog of paid services.'),
    explorer: explorer.prefault({}).describe('The explorer of payments.'),
    route: route.optional().describe('Access from outside the cluster; none when absent.'),
    networkPolicy: networkPolicy
      .prefault({})
      .describe('Which connections the pods accept and open.'),
    monitoring: monitoring.prefault({}).describe('Objects for Prometheus.'),
  })
  .meta(validations(...rulesBetweenParts))
