import type { xdr } from '@stellar/stellar-sdk'
import type { ReasonCode } from '../../../src/payments/protocol/reasons.ts'
import type { PaymentBody, PaymentPlan, Wallet } from '../payments.ts'

/** Who takes part in a payment, and how to build one. */
export interface Parties {
  readonly payer: Wallet
  readonly seller: Wallet
  /** Accounts of the facilitator. */
  readonly sponsor: string
  readonly channel: string
  /** From the payer to the seller where the plan says nothing else. */
  pay(plan?: Partial<PaymentPlan>): Promise<PaymentBody>
  /** A signed authorization entry of such a payment. */
  authorize(plan?: Partial<PaymentPlan>): Promise<xdr.SorobanAuthorizationEntry>
}

/** A payment that is refused, and what the refusal says. */
export interface RefusedPayment {
  readonly body: PaymentBody
  readonly message: string | RegExp
  /** Over HTTP, where it differs: the service chooses the network before it checks the payment. */
  readonly messageOverHttp?: string
  /** Named in the refusal; absent where it must not name one. */
  readonly payer?: string | undefined
}

/** A row: `Given` is what `build` needs, the parties alone or a running service. */
export interface RefusalRow<Given = Parties> {
  readonly code: ReasonCode
  readonly when: string
  readonly build: (given: Given) => Promise<RefusedPayment>
}

export const P = 'invalid_exact_stellar_payload_'
export const R = 'invalid_exact_stellar_requirements_'

type Of<T> = T | ((parties: Parties) => T)
const resolve = <T>(of: Of<T>, parties: Parties): T => (of instanceof Function ? of(parties) : of)

/** A payment refused before its call is read, so that the payer is not known. */
export const withoutPayer =
  (plan: Of<Partial<PaymentPlan>>, message: Of<string | RegExp>): RefusalRow['build'] =>
  async (parties) => ({
    body: await parties.pay(resolve(plan, parties)),
    message: resolve(message, parties),
  })

/** A payment refused once its call has been read. */
export const withPayer =
  (plan: Of<Partial<PaymentPlan>>, message: Of<string | RegExp>): RefusalRow['build'] =>
  async (parties) => ({
    ...(await withoutPayer(plan, message)(parties)),
    payer: resolve(plan, parties).payer?.address ?? parties.payer.address,
  })
