import { expect, test } from 'vitest'
import { toYaml } from '../../../../../../../src/kubernetes/crd/definitions/yaml.ts'
import type { FacilitatorResult } from '../../../../../../../src/kubernetes/operator/facilitator/converge/converge.ts'
import { conditionsOf } from '../../../../../../../src/kubernetes/operator/facilitator/status/conditions/conditions.ts'
import { stalledBy } from '../../../../../../../src/kubernetes/operator/facilitator/status/report.ts'
import { statusOf } from '../../../../../../../src/kubernetes/operator/facilitator/status/status.ts'
import { writtenConditions } from '../../../../../../../src/kubernetes/operator/reporting/report.ts'
import { kstatusOf } from '../../../../../../support/kstatus.ts'
import { facilitatorResults } from './facilitator-results.ts'

/** As the reporter writes them. */
const allConditions = (result: FacilitatorResult) =>
  writtenConditions(conditionsOf(result), stalledBy)

test.each(Object.entries(facilitatorResults))(
  'conditions and status when %s',
  async (name, result) => {
    const all = allConditions(result)
    const judged = kstatusOf({
      metadata: { generation: 1 },
      status: { observedGeneration: 1, conditions: all },
    })
    const conditions = Object.fromEntries(
      all.map(({ type, status, reason, message }) => [type, `${status} ${reason}: ${message}`]),
    )
    const { selector: _, ...status } = statusOf(result)
    const file = `__golden__/conditions/${name.replaceAll(' ', '-')}.yaml`
    await expect(toYaml({ kstatus: judged, conditions, status })).toMatchFileSnapshot(file)
  },
)

test.each(Object.entries(facilitatorResults))(
  'messages are whole sentences when %s',
  (_, result) => {
    for (const { message } of conditionsOf(result)) {
      expect(message).toMatch(/[.]$/)
      expect(message).not.toMatch(/undefined/)
    }
  },
)

test.each(Object.entries(facilitatorResults))(
  'it never reconciles and stalls at once, when %s',
  (_, result) => {
    const isTrue = allConditions(result).filter(({ status }) => status === 'True')
    const names = isTrue.map(({ type }) => type as string)
    expect(names.includes('Reconciling') && names.includes('Stalled')).toBe(false)
  },
)
