import type { PaymentPolicy } from '../protocol/policy.ts'
import type { PaymentRequirements } from '../protocol/protocol.ts'
import { exact } from './exact/exact.ts'
import type { PaymentScheme } from './scheme.ts'
import { upto } from './upto/upto.ts'

/** Every scheme and every profile of one, in the order of `/supported`. */
const schemes: readonly PaymentScheme[] = [exact, upto]

/** The schemes that the policy of a network serves. */
export const servedSchemes = (policy: PaymentPolicy): readonly PaymentScheme[] =>
  schemes.filter(({ extra }) => extra(policy) !== undefined)

/** The served schemes with their `extra`, for `/supported`. */
export const servedKinds = (policy: PaymentPolicy) =>
  schemes.flatMap(({ name: scheme, extra: extraOf }) => {
    const extra = extraOf(policy)
    return extra ? [{ scheme, extra }] : []
  })

/** The names of the served schemes, each once. */
export const servedNames = (policy: PaymentPolicy): string[] => [
  ...new Set(servedSchemes(policy).map(({ name }) => name)),
]

/** The scheme, in the profile, that the requirements name; undefined when it is not served. */
export const schemeOf = (
  { scheme, extra }: Pick<PaymentRequirements, 'scheme' | 'extra'>,
  policy: PaymentPolicy,
): PaymentScheme | undefined =>
  servedSchemes(policy).find(
    ({ name, profile }) =>
      name === scheme && (profile === undefined || profile === extra?.['profile']),
  )

/** Every profile of a scheme, served or not: a stored settlement names its scheme alone. */
export const schemesNamed = (name: string): readonly PaymentScheme[] =>
  schemes.filter((scheme) => scheme.name === name)

/** A settlement as the store keeps it. */
interface StoredPayment {
  readonly scheme: string
  /** Base units that it moves. */
  readonly amount: bigint
}

/** Members that the answer to a successful settlement has beside those of every scheme. */
export const settledMembers = ({ scheme, amount }: StoredPayment): { readonly amount?: string } =>
  schemesNamed(scheme)[0]?.settledMembers(amount) ?? {}
