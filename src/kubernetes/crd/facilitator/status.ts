import { z } from 'zod'
import { MAX_SAMPLES } from '../channel-pool/status.ts'
import { conditionList, MAX_MESSAGE_LENGTH } from '../fields/conditions.ts'
import {
  atomicList,
  contractAddress,
  count,
  labelName,
  listMap,
  objectName,
  secretKeyOf,
  timestamp,
} from '../fields/fields.ts'
import { facilitatorConditionTypes } from './conditions.ts'

const summary = z.object({
  replicas: z.string().max(32).describe('Ready and desired facilitator pods, such as 2/2.'),
  networks: z.string().max(128).describe('Networks served, comma-separated.'),
})

const upto = z.object({
  contract: contractAddress().describe('Address of the settlement contract.'),
  lastAction: z
    .enum(['Extend', 'Restore'])
    .optional()
    .describe('What was last done to keep it on the ledger.'),
  transaction: z.string().length(64).optional().describe('Hash of the transaction that did it.'),
  actedAt: timestamp().optional().describe('When it did.'),
  error: z
    .string()
    .max(MAX_MESSAGE_LENGTH)
    .optional()
    .describe('Why the keeper failed; absent once it has not.'),
})

const network = z.object({
  channelPool: labelName().describe('Name of the ChannelPool.'),
  network: z
    .string()
    .max(64)
    .optional()
    .describe('Its network; absent while the pool does not exist.'),
  ready: z.boolean().describe('Whether the pool is Ready.'),
  reason: z.string().max(64).describe("Reason of the pool's Ready condition."),
  upto: upto
    .optional()
    .describe('The settlement contract, where one is set and a keeper has worked on it.'),
})

const sponsors = z.object({
  channelPool: labelName().describe('Name of the ChannelPool.'),
  step: count(1_000_000_000).describe(
    "step of the pool's rotation that they follow; 0 without one.",
  ),
  current: secretKeyOf().describe('Secret of the sponsor that they serve.'),
  next: secretKeyOf()
    .optional()
    .describe('Secret of the sponsor that they are to serve soon, for the scheme upto.'),
  previous: secretKeyOf()
    .optional()
    .describe('Secret of the sponsor that they served before, for the scheme upto.'),
})

const part = z.object({
  name: z.enum(['Facilitator', 'Catalog', 'Explorer']).describe('Which service.'),
  deployment: objectName().describe('Name of its Deployment.'),
  wanted: count().describe('Desired pods.'),
  ready: count().describe('Ready pods.'),
  updated: count().describe('Pods that run the latest spec.'),
})

const migration = z.object({
  job: objectName().describe('Name of the Job.'),
  image: z.string().max(512).describe('Image that it ran.'),
  state: z.enum(['Running', 'Succeeded', 'Failed']).describe('Its result.'),
  finishedAt: timestamp().optional().describe('When it ended.'),
})

const preflight = z.object({
  job: objectName().describe('Name of the Job.'),
  attempt: count().describe('How often it was tried with this image, configuration and Secrets.'),
  state: z.enum(['Running', 'Succeeded', 'Failed']).describe('Its result.'),
  finishedAt: timestamp().optional().describe('When it ended.'),
})

const failingPod = z.object({
  name: objectName().describe(
    'Name of the pod, or of the Job or Deployment that cannot create its pods.',
  ),
  reason: z.string().max(64).describe('Reason, as Kubernetes names it.'),
  message: z.string().max(MAX_MESSAGE_LENGTH).describe('The error, in a sentence.'),
})

/** The observed state of a Facilitator and its pods. */
export const facilitatorStatus = z.object({
  observedGeneration: z
    .int()
    .min(0)
    .optional()
    .describe('metadata.generation of the spec that this status describes.'),
  conditions: conditionList(facilitatorConditionTypes).optional(),
  summary: summary.optional().describe('For the columns of kubectl get.'),
  replicas: count().optional().describe('Facilitator pods, ready or not.'),
  readyReplicas: count().optional().describe('Facilitator pods that are ready.'),
  selector: z
    .string()
    .max(512)
    .optional()
    .describe('Label selector of the facilitator pods, for autoscalers.'),
  url: z.string().max(512).optional().describe('Address of the facilitator.'),
  explorerUrl: z.string().max(512).optional().describe('Address of the explorer.'),
  image: z
    .string()
    .max(512)
    .optional()
    .describe('Image that the pods run or are being rolled out to.'),
  networks: z
    .array(network.describe('One network.'))
    .max(2)
    .meta(listMap('channelPool'))
    .optional()
    .describe('State of each pool of the spec.'),
  sponsors: z
    .array(sponsors.describe('Of one pool.'))
    .max(2)
    .meta(listMap('channelPool'))
    .optional()
    .describe('The sponsors whose seeds all facilitator pods mount; absent during a rollout.'),
  parts: z
    .array(part.describe('One part.'))
    .max(3)
    .meta(listMap('name'))
    .optional()
    .describe('State of each Deployment.'),
  migration: migration.optional().describe('The last migration of the database.'),
  preflight: preflight
    .optional()
    .describe('The check before pods that serve are replaced; absent otherwise.'),
  failingPods: z
    .array(failingPod.describe('One failing pod.'))
    .max(MAX_SAMPLES)
    .meta(atomicList)
    .optional()
    .describe('Pods that cannot start or crash, at most 20.'),
})

export type FacilitatorStatus = z.output<typeof facilitatorStatus>
