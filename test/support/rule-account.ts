import { xdr } from '@stellar/stellar-sdk'
import { structValue, variantValue } from '../../src/buying/signers/sc-values.ts'
import { addressValue, i128 } from './payments.ts'

/** Who signs for `rule-account`, and what the agent may spend a day, in base units of USDC. */
export interface RuleAccount {
  readonly owner: xdr.ScVal
  readonly agent: xdr.ScVal
  readonly limit: bigint
  /** The last ledger of the agent's rule. @default no ledger ends it */
  readonly lastLedger?: number | undefined
}

export const delegated = (address: string): xdr.ScVal =>
  variantValue('Delegated', addressValue(address))

export const external = (verifier: string, key: Uint8Array): xdr.ScVal =>
  variantValue('External', addressValue(verifier), xdr.ScVal.scvBytes(key))

const LEDGERS_OF_A_DAY = 17_280

/** The policies of the agent, with what each is installed with. */
export const spendingLimits = (policy: string, limit: bigint): xdr.ScVal =>
  xdr.ScVal.scvMap([
    new xdr.ScMapEntry({
      key: addressValue(policy),
      val: structValue({
        period_ledgers: xdr.ScVal.scvU32(LEDGERS_OF_A_DAY),
        spending_limit: i128(limit),
      }),
    }),
  ])
