import { z } from 'zod'
import { validations } from '../fields/cel.ts'
import { contractAddress } from '../fields/fields.ts'

/* The bounds and defaults are those of the variables that the pods read: src/settings/tables/upto-settings.ts. */
const keeper = z
  .object({
    enabled: z.boolean().default(true).describe('Whether the pods extend TTLs.'),
    autoRestore: z.boolean().default(true).describe('Whether they restore what is archived.'),
    floorLedgers: z
      .int()
      .min(17_280)
      .max(3_110_398)
      .default(241_920)
      .describe('They extend a TTL below this, in ledgers of about 5 s.'),
    targetLedgers: z
      .int()
      .min(17_281)
      .max(3_110_399)
      .default(518_400)
      .describe('TTL that they extend to, in ledgers.'),
  })
  .meta(
    validations({
      rule: 'self.floorLedgers < self.targetLedgers',
      message: 'floorLedgers must be below targetLedgers',
      reason: 'FieldValueInvalid',
      fieldPath: '.floorLedgers',
    }),
  )

/** The scheme `upto` on one network. */
export const upto = z.object({
  contract: contractAddress().describe('Address (C...) of the settlement contract.'),
  keeper: keeper
    .prefault({})
    .describe("Keeps the contract's instance and code on the ledger, at the sponsor's expense."),
})
