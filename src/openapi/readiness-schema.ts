import { z } from 'zod'
import type { ReadinessResult } from '../http/readiness.ts'

const checkSchema = z
  .strictObject({ ok: z.boolean(), detail: z.string().exactOptional() })
  .readonly()

export const readinessSchema = z
  .strictObject({
    ready: z.boolean(),
    checks: z
      .record(z.string(), checkSchema)
      .readonly()
      .describe(
        'By name: `database`, `<network>:rpc`, `<network>:sponsor` (detail: balance in stroops), `<network>:channels` (detail: their number).',
      ),
  })
  .readonly() satisfies z.ZodType<ReadinessResult>
