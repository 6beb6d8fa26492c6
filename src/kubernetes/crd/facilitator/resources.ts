import { z } from 'zod'
import { type CelRule, validations } from '../fields/cel.ts'
import { ofQuantities, quantity, quantityOf } from '../fields/quantity.ts'

interface Amounts {
  readonly cpu: string
  readonly memory: string
  readonly memoryLimit: string
}

const compared = (field: string, sign: string, other: string): string =>
  `${quantityOf(field)}.compareTo(${other}) ${sign} 0`

/** A limit that is written alone may be below the request that the API server fills in: the message has that too. */
const memoryFits = ({ memory, memoryLimit }: Amounts): CelRule => ({
  rule: ofQuantities(
    ['self.requests.memory', 'self.limits.memory'],
    compared('self.requests.memory', '<=', quantityOf('self.limits.memory')),
  ),
  message: `requests.memory (${memory} when left out) must not be above limits.memory (${memoryLimit} when left out)`,
  reason: 'FieldValueInvalid',
  fieldPath: '.requests.memory',
})

const cpuFits = ({ cpu }: Amounts): CelRule => ({
  rule: `!has(self.limits.cpu) || ${ofQuantities(
    ['self.requests.cpu', 'self.limits.cpu'],
    compared('self.requests.cpu', '<=', quantityOf('self.limits.cpu')),
  )}`,
  message: `requests.cpu (${cpu} when left out) must not be above limits.cpu`,
  reason: 'FieldValueInvalid',
  fieldPath: '.requests.cpu',
})

/** With less, a process takes more than the five minutes to start after which the kubelet kills it. */
const cpuIsEnough: CelRule = {
  rule: `!has(self.limits.cpu) || ${ofQuantities(
    ['self.limits.cpu'],
    compared('self.limits.cpu', '>=', "quantity('50m')"),
  )}`,
  message: 'limits.cpu must be at least 50m; leave it out for no limit',
  reason: 'FieldValueInvalid',
  fieldPath: '.limits.cpu',
}

/** Below it no process of ours starts; 1 and 512m are bytes and thousandths of a byte. */
const memoryIsEnough: CelRule = {
  rule: ofQuantities(
    ['self.limits.memory'],
    compared('self.limits.memory', '>=', "quantity('64Mi')"),
  ),
  message: 'limits.memory must be at least 64Mi',
  reason: 'FieldValueInvalid',
  fieldPath: '.limits.memory',
}

/** No node has more of either: nothing would ever run there. */
const nodesHave = (field: 'cpu' | 'memory', most: string): CelRule => ({
  rule: ofQuantities(
    [`self.requests.${field}`],
    compared(`self.requests.${field}`, '<=', `quantity('${most}')`),
  ),
  message: `requests.${field} must be at most ${most}`,
  reason: 'FieldValueInvalid',
  fieldPath: `.requests.${field}`,
})

/** Resources of one container. Memory is always limited, CPU only if the spec says so. */
export const resources = (cpu: string, memory: string, memoryLimit: string) =>
  z
    .object({
      requests: z
        .object({
          cpu: quantity().default(cpu).describe('Requested CPU.'),
          memory: quantity().default(memory).describe('Requested memory.'),
        })
        .prefault({})
        .describe('What a node reserves for each pod.'),
      limits: z
        .object({
          cpu: quantity().optional().describe('CPU limit; none when absent.'),
          memory: quantity()
            .default(memoryLimit)
            .describe('Memory limit: above it the pod is killed.'),
        })
        .prefault({})
        .describe('What each pod may use at most.'),
    })
    .meta(
      validations(
        memoryFits({ cpu, memory, memoryLimit }),
        cpuFits({ cpu, memory, memoryLimit }),
        cpuIsEnough,
        memoryIsEnough,
        nodesHave('memory', '1Ti'),
        nodesHave('cpu', '256'),
      ),
    )
