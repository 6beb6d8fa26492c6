/** Reads a call of `settle` of the settlement contract, and makes one that nobody signed. */
import type { ContractCall } from '../../../stellar/authorization/auth-entry.ts'
import { unauthorizedCall } from '../../../stellar/contracts/contract-call.ts'
import type { HostInvocation } from '../../../stellar/transactions/client-envelope.ts'
import type { ScValue } from '../../../stellar/values/sc-value.ts'
import { settleArguments } from './terms.ts'

export const SETTLE = 'settle'

/** Arguments by their names. */
export interface SettleTerms {
  /** The address of the token, `C...`. */
  readonly token: string
  /** The payer, `G...` or `C...`. */
  readonly from: string
  readonly to: string
  /** Base units. */
  readonly ceiling: bigint
  readonly expirationLedger: number
  /** 64 lower-case hex digits. */
  readonly nonce: string
  /** Base units. */
  readonly actual: bigint
  readonly authority: string
}

/** Index of each argument. */
export const argumentAt = Object.fromEntries(
  settleArguments.map((name, index) => [name, index]),
) as Readonly<Record<(typeof settleArguments)[number], number>>

const NONCE_BYTES = 32

const expected = {
  token: 'an address',
  from: 'a G or C address',
  to: 'an address',
  ceiling: 'an i128',
  expirationLedger: 'a u32',
  nonce: `${NONCE_BYTES} bytes`,
  actual: 'an i128',
  authority: 'an address',
} as const satisfies Record<keyof SettleTerms, string>

export type ReadTerms =
  | { readonly ok: true; readonly terms: SettleTerms }
  /** Names the argument that has the wrong type. */
  | { readonly ok: false; readonly problem: string }

/** Requires a call of `settle` with as many arguments as it has. */
export function readSettleTerms({ args }: Pick<ContractCall, 'args'>): ReadTerms {
  const at = (name: keyof SettleTerms) => args[argumentAt[name]]
  const token = addressIn(at('token'))
  const from = addressIn(at('from'))
  const to = addressIn(at('to'))
  const ceiling = integerIn(at('ceiling'), 'i128')
  const expirationLedger = integerIn(at('expirationLedger'), 'u32')
  const nonce = nonceIn(at('nonce'))
  const actual = integerIn(at('actual'), 'i128')
  const authority = addressIn(at('authority'))
  if (token === undefined) return problem('token')
  if (from === undefined || !/^[GC]/.test(from)) return problem('from')
  if (to === undefined) return problem('to')
  if (ceiling === undefined) return problem('ceiling')
  if (expirationLedger === undefined) return problem('expirationLedger')
  if (nonce === undefined) return problem('nonce')
  if (actual === undefined) return problem('actual')
  if (authority === undefined) return problem('authority')
  const ledger = Number(expirationLedger)
  return {
    ok: true,
    terms: { token, from, to, ceiling, expirationLedger: ledger, nonce, actual, authority },
  }
}

const problem = (name: keyof SettleTerms): ReadTerms => ({
  ok: false,
  problem: `argument ${argumentAt[name]} of ${SETTLE}, ${name}, is not ${expected[name]}`,
})

const addressIn = (value: ScValue | undefined): string | undefined =>
  value?.type === 'address' ? value.value : undefined

const integerIn = (value: ScValue | undefined, type: 'i128' | 'u32'): bigint | undefined =>
  value?.type === type ? value.value : undefined

const nonceIn = (value: ScValue | undefined): string | undefined =>
  value?.type === 'bytes' && value.value.length === NONCE_BYTES
    ? Buffer.from(value.value).toString('hex')
    : undefined

/** A call of `settle` that nobody signed, for simulation: its nonce is all zeros, with which no payer signs. */
export function unauthorizedSettle({
  contract,
  ...terms
}: Omit<SettleTerms, 'nonce'> & { readonly contract: string }): HostInvocation {
  const values = {
    token: { type: 'address', value: terms.token },
    from: { type: 'address', value: terms.from },
    to: { type: 'address', value: terms.to },
    ceiling: { type: 'i128', value: terms.ceiling },
    expirationLedger: { type: 'u32', value: BigInt(terms.expirationLedger) },
    nonce: { type: 'bytes', value: new Uint8Array(NONCE_BYTES) },
    actual: { type: 'i128', value: terms.actual },
    authority: { type: 'address', value: terms.authority },
  } as const
  return unauthorizedCall(
    contract,
    SETTLE,
    settleArguments.map((name) => values[name]),
  )
}
