import { z } from 'zod'
import { type CelRule, validations } from '../fields/cel.ts'
import { quantity } from '../fields/fields.ts'

const memoryFits: CelRule = {
  rule: 'quantity(string(self.requests.memory)).compareTo(quantity(string(self.limits.memory))) <= 0',
  message: 'requests.memory must not be above limits.memory',
  reason: 'FieldValueInvalid',
  fieldPath: '.requests.memory',
}

const cpuFits: CelRule = {
  rule: '!has(self.limits.cpu) || quantity(string(self.requests.cpu)).compareTo(quantity(string(self.limits.cpu))) <= 0',
  message: 'requests.cpu must not be above limits.cpu',
  reason: 'FieldValueInvalid',
  fieldPath: '.requests.cpu',
}

/** Below it no process of ours starts; 1 and 512m are bytes and thousandths of a byte. */
const memoryIsEnough: CelRule = {
  rule: "quantity(string(self.limits.memory)).compareTo(quantity('64Mi')) >= 0",
  message: 'limits.memory must be at least 64Mi',
  reason: 'FieldValueInvalid',
  fieldPath: '.limits.memory',
}

const memoryExists: CelRule = {
  rule: "quantity(string(self.requests.memory)).compareTo(quantity('1Ti')) <= 0",
  message: 'requests.memory must be at most 1Ti',
  reason: 'FieldValueInvalid',
  fieldPath: '.requests.memory',
}

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
    .meta(validations(memoryFits, cpuFits, memoryIsEnough, memoryExists))
