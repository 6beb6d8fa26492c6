/** The table has a row for every result code, or a reason why it has none. */
import { xdr } from '@stellar/stellar-sdk'
import { describe, expect, it } from 'vitest'
import { allRows } from './rows.ts'

const operations = {
  createAccount: xdr.CreateAccountResultCode,
  payment: xdr.PaymentResultCode,
  changeTrust: xdr.ChangeTrustResultCode,
  setTrustLineFlags: xdr.SetTrustLineFlagsResultCode,
  clawback: xdr.ClawbackResultCode,
  setOptions: xdr.SetOptionsResultCode,
  accountMerge: xdr.AccountMergeResultCode,
  manageData: xdr.ManageDataResultCode,
  bumpSequence: xdr.BumpSequenceResultCode,
  beginSponsoringFutureReserves: xdr.BeginSponsoringFutureReservesResultCode,
  endSponsoringFutureReserves: xdr.EndSponsoringFutureReservesResultCode,
  revokeSponsorship: xdr.RevokeSponsorshipResultCode,
  invokeHostFunction: xdr.InvokeHostFunctionResultCode,
  extendFootprintTtl: xdr.ExtendFootprintTtlResultCode,
  restoreFootprint: xdr.RestoreFootprintResultCode,
  'any operation': xdr.OperationResultCode,
  'a transaction': xdr.TransactionResultCode,
} as const

/** Codes that no row can return, each with its reason. */
const excluded: Readonly<Record<string, string>> = {
  paymentNoIssuer: 'the issuer need not exist since CAP-30',
  changeTrustSelfNotAllowed: 'malformed since protocol 16',
  changeTrustTrustLineMissing: 'of pool shares, which the localnet leaves out',
  changeTrustCannotDelete: 'of lines that a liquidity pool uses, which the localnet leaves out',
  changeTrustNotAuthMaintainLiabilities: 'of pool shares, which the localnet leaves out',
  setTrustLineFlagsLowReserve: 'of offers and pool shares, which the localnet leaves out',
  manageDataNotSupportedYet: 'of protocol 1',
  revokeSponsorshipOnlyTransferable: 'of claimable balances, which the localnet leaves out',
  extendFootprintTtlResourceLimitExceeded: 'entries of contracts are in memory since protocol 23',
  opInner: 'stands for the codes of the operation itself',
  opExceededWorkLimit: 'of offers, which the localnet leaves out',
  txInternalError: 'of a fault in the node itself',
  txNotSupported: 'of envelopes from before protocol 13, which the node converts',
  txFrozenKeyAccessed: 'of frozen keys (CAP-77), and testnet has none',
}

const rows = Object.values(allRows).flat()
const returned = new Set(rows.flatMap(({ codes }) => codes.split(' ')))

const codesOf = (code: { readonly schema: unknown }): string[] => {
  const { schema } = code
  if (typeof schema !== 'object' || schema === null || !('nameByValue' in schema)) {
    throw new TypeError('not an enumeration')
  }
  return schema.nameByValue instanceof Map ? [...schema.nameByValue.values()] : []
}

describe('the table', () => {
  it('has 350 rows or more', () => {
    expect(rows.length).toBeGreaterThanOrEqual(350)
  })

  it('has no row twice', () => {
    const sentences = Object.entries(allRows).flatMap(([name, its]) =>
      its.map(({ when, codes, rule }) => `${name}: ${codes} when ${when} (${rule})`),
    )
    expect(sentences).toHaveLength(new Set(sentences).size)
  })

  it.each(Object.entries(operations))(
    'has a row or a reason for every code of %s',
    (name, code) => {
      const all = codesOf(code)
      const missing = all.filter((it) => !returned.has(it))
      const reasons = missing.map((it) => `${it}: ${excluded[it] ?? 'NO REASON'}`)
      process.stdout.write(
        `${[`${name}: ${all.length - missing.length} of ${all.length} codes`, ...reasons].join('\n  ')}\n`,
      )
      expect(missing).toEqual(all.filter((it) => it in excluded))
    },
  )

  it('has no row for an excluded code', () => {
    expect(Object.keys(excluded).filter((code) => returned.has(code))).toEqual([])
  })
})
