import { describe, expect, it } from 'vitest'
import { protocolChecks } from '../../../../src/payments/checks/protocol.ts'
import {
  isReasonCode,
  reasonOf,
  reasons,
  reasonsWhere,
} from '../../../../src/payments/protocol/reasons.ts'
import { callChecks, exact } from '../../../../src/payments/schemes/exact/exact.ts'
import { policyChecks } from '../../../../src/payments/schemes/exact/policy.ts'
import { structureChecks } from '../../../../src/payments/schemes/exact/structure.ts'

const checks = [
  ...protocolChecks,
  ...policyChecks,
  ...structureChecks,
  ...callChecks,
  ...exact.rules.settle.expiryChecks,
  ...exact.rules.settle.costChecks,
  ...exact.rules.settle.eventChecks,
]

describe('the reasons', () => {
  it('each have a sentence', () => {
    for (const [code, { message }] of Object.entries(reasons)) {
      expect(message, code).toMatch(/^\S.{10,}$/)
    }
  })

  it('that are the fault of the service let the same request succeed later', () => {
    for (const code of reasonsWhere(({ isServiceFault }) => isServiceFault === true)) {
      expect(reasonOf(code).retryable, code).toBe(true)
    }
  })

  it('know no code that is not in the table', () => {
    expect(isReasonCode('toString')).toBe(false)
  })
})

describe('the checks', () => {
  it('have unique names', () => {
    const names = checks.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
  })
})
