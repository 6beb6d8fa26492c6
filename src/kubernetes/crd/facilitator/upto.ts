import { z } from 'zod'
import { validations } from '../fields/cel.ts'
import { contractAddress } from '../fields/fields.ts'
import { networkFields } from './setting-fields.ts'

const keeper = z.object(networkFields('upto.keeper')).meta(
  validations({
    rule: 'self.floorLedgers < self.targetLedgers',
    message:
      'floorLedgers (241920 when left out) must be below targetLedgers (518400 when left out)',
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
