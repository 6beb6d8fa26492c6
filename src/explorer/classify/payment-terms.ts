import type { SchemeName } from '../../payments/protocol/schemes.ts'
import { baseAddress, muxedId } from '../../stellar/accounts/strkey.ts'
import type { ScValue } from '../../stellar/values/sc-value.ts'
import type { SkipReason } from '../observed-payment.ts'

/** The terms of a payment, as the arguments of a call state them. */
export interface PaymentTerms {
  readonly scheme: SchemeName
  /** `C...` */
  readonly asset: string
  /** `G...` or `C...` */
  readonly buyer: string
  /** `G...` or `C...`, without the id of a muxed address. */
  readonly seller: string
  readonly muxedId?: bigint
  readonly amount: bigint
  readonly ceiling?: bigint
}

export type TermsOrReason = PaymentTerms | SkipReason

/** The largest amount that the store holds: 39 digits. */
export const MAX_AMOUNT = 10n ** 39n - 1n

/** Undefined unless the value is the address of an account or a contract. */
export const payerIn = (value: ScValue | undefined): string | undefined =>
  value?.type === 'address' && 'GC'.includes(value.value.charAt(0)) ? value.value : undefined

/** The payee, which may have a muxed address. Undefined for the address of anything that cannot be paid. */
export function payeeIn(
  value: ScValue | undefined,
): Pick<PaymentTerms, 'seller' | 'muxedId'> | undefined {
  if (value?.type !== 'address' || !'GCM'.includes(value.value.charAt(0))) return undefined
  const id = muxedId(value.value)
  return { seller: baseAddress(value.value), ...(id !== undefined && { muxedId: id }) }
}

export const amountIn = (value: ScValue | undefined): bigint | undefined =>
  value?.type === 'i128' ? value.value : undefined
