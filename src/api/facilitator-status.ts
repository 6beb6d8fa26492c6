import { z } from 'zod'
import { MAX_SAMPLES } from './channel-pool-status.ts'
import { conditionList, MAX_MESSAGE_LENGTH } from './conditions.ts'
import { facilitatorConditionTypes } from './facilitator-conditions.ts'
import { atomicList, count, labelName, listMap, objectName, timestamp } from './fields.ts'

const summary = z.object({
  replicas: z.string().max(32).describe('Ready and wanted facilitator pods, such as 2/2.'),
  networks: z.string().max(128).describe('Networks served, with commas between them.'),
})

const network = z.object({
  channelPool: labelName().describe('Name of the ChannelPool.'),
  network: z.string().max(64).optional().describe('Its network; absent while there is no pool.'),
  ready: z.boolean().describe('Whether the pool is Ready.'),
  reason: z.string().max(64).describe("Reason of the pool's Ready condition."),
})

const part = z.object({
  name: z
    .enum(['Facilitator', 'Catalog', 'Explorer'])
    .describe('Which of the services this is about.'),
  deployment: objectName().describe('Name of its Deployment.'),
  wanted: count().describe('Pods there shall be.'),
  ready: count().describe('Pods that serve.'),
  updated: count().describe('Pods of the newest kind.'),
})

const migration = z.object({
  job: objectName().describe('Name of the Job.'),
  image: z.string().max(512).describe('Image that it ran.'),
  state: z.enum(['Running', 'Succeeded', 'Failed']).describe('How it went.'),
  finishedAt: timestamp().optional().describe('When it ended.'),
})

const failingPod = z.object({
  name: objectName().describe('Name of the pod.'),
  reason: z.string().max(64).describe('What is wrong, in the word Kubernetes has for it.'),
  message: z.string().max(MAX_MESSAGE_LENGTH).describe('What is wrong, in a sentence.'),
})

/** What the operator saw of a Facilitator and its pods. */
export const facilitatorStatus = z.object({
  observedGeneration: z
    .int()
    .min(0)
    .optional()
    .describe('metadata.generation of the spec that this status is about.'),
  conditions: conditionList(facilitatorConditionTypes).optional(),
  summary: summary.optional().describe('What kubectl get shows in one column.'),
  replicas: count().optional().describe('Facilitator pods there are, ready or not.'),
  readyReplicas: count().optional().describe('Facilitator pods that serve.'),
  selector: z
    .string()
    .max(512)
    .optional()
    .describe('Label selector of the facilitator pods, for autoscalers.'),
  url: z.string().max(512).optional().describe('Where the facilitator is reached.'),
  explorerUrl: z.string().max(512).optional().describe('Where the explorer is reached.'),
  image: z.string().max(512).optional().describe('Image that the pods run or are rolled out to.'),
  networks: z
    .array(network.describe('One network.'))
    .max(2)
    .meta(listMap('channelPool'))
    .optional()
    .describe('How the pools of the spec stand.'),
  parts: z
    .array(part.describe('One part.'))
    .max(3)
    .meta(listMap('name'))
    .optional()
    .describe('How the Deployments stand.'),
  migration: migration.optional().describe('The last migration of the database.'),
  failingPods: z
    .array(failingPod.describe('One such pod.'))
    .max(MAX_SAMPLES)
    .meta(atomicList)
    .optional()
    .describe('Pods that cannot start or crash, the first 20.'),
})

export type FacilitatorStatus = z.output<typeof facilitatorStatus>
