/** Which result codes the table has rows for, and why it has none for the others. */
import { xdr } from '@stellar/stellar-sdk'
import { describe, expect, it } from 'vitest'
import { everyRow } from './rows.ts'

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
  'any operation': xdr.OperationResultCode,
  'a transaction': xdr.TransactionResultCode,
} as const

/** Codes that no row can bring about, each with its reason. */
const uncovered: Readonly<Record<string, string>> = {
  paymentNoIssuer: 'nobody asks for issuers any more (CAP-30)',
  changeTrustSelfNotAllowed: 'malformed since protocol 16',
  changeTrustTrustLineMissing: 'of pool shares, which are left out',
  changeTrustCannotDelete: 'of lines that a pool uses, and pools are left out',
  changeTrustNotAuthMaintainLiabilities: 'of pool shares, which are left out',
  setTrustLineFlagsLowReserve: 'of offers and pool shares pulled, which are left out',
  manageDataNotSupportedYet: 'of protocol 1',
  revokeSponsorshipOnlyTransferable: 'of claimable balances, which are left out',
  opInner: 'stands for the codes of the operation itself',
  opExceededWorkLimit: 'of crossing offers, which are left out',
  txSorobanInvalid:
    'of Soroban transactions: in transaction-codes.test.ts and soroban-apply.test.ts',
  txInternalError: 'of a node that breaks',
  txNotSupported: 'of envelopes before protocol 13, which are taken in the form of today',
  txFrozenKeyAccessed: 'of keys that a vote has frozen (CAP-77); testnet has none',
}

const rows = Object.values(everyRow).flat()
const told = new Set(rows.flatMap(({ codes }) => codes.split(' ')))

const codesOf = (code: { readonly schema: unknown }): string[] => {
  const { schema } = code
  if (typeof schema !== 'object' || schema === null || !('nameByValue' in schema)) {
    throw new TypeError('not an enumeration')
  }
  return schema.nameByValue instanceof Map ? [...schema.nameByValue.values()] : []
}

describe('the table', () => {
  it('has 120 rows at least, each with a rule', () => {
    expect(rows.length).toBeGreaterThanOrEqual(120)
    expect(rows.filter(({ rule }) => rule.length < 10)).toEqual([])
  })

  it('says each thing once', () => {
    const sentences = Object.entries(everyRow).flatMap(([name, its]) =>
      its.map(({ when, codes, rule }) => `${name}: ${codes} when ${when} (${rule})`),
    )
    expect(sentences).toHaveLength(new Set(sentences).size)
  })

  it.each(Object.entries(operations))(
    'has a row or a reason for every code of %s',
    (name, code) => {
      const all = codesOf(code)
      const missing = all.filter((it) => !told.has(it))
      const reasons = missing.map((it) => `${it}: ${uncovered[it] ?? 'NO REASON'}`)
      process.stdout.write(
        `${[`${name}: ${all.length - missing.length} of ${all.length} codes`, ...reasons].join('\n  ')}\n`,
      )
      expect(missing).toEqual(all.filter((it) => it in uncovered))
    },
  )

  it('has no row for what is said to have none', () => {
    expect(Object.keys(uncovered).filter((code) => told.has(code))).toEqual([])
  })
})
