import { describe, test } from 'vitest'
import { settleOutcomes } from './cases/settle-outcomes.ts'
import { settleRefusals } from './cases/settle-refusals.ts'

describe.each([
  { stage: 'before anything is sent', cases: settleRefusals },
  { stage: 'after the record', cases: settleOutcomes },
])('$stage, /settle', ({ cases }) => {
  test.each(cases)('answers $code $when', ({ prove }) => prove())
})
