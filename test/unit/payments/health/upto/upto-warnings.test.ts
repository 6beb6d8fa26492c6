import { describe, expect, test } from 'vitest'
import type { NetworkFacts } from '../../../../../src/payments/health/facts.ts'
import { warningCodes } from '../../../../../src/payments/health/schema.ts'
import { uptoWarningRules } from '../../../../../src/payments/health/upto/upto-warnings.ts'
import { warningsOf } from '../../../../../src/payments/health/warnings.ts'
import { asStroops } from '../../../../../src/platform/core/amounts/stroops.ts'
import type { ContractTtl } from '../../../../../src/stellar/contracts/contract-ttl.ts'
import { contract, facts, upto, xlm } from '../facts-builder.ts'

const serving = (...changes: Parameters<typeof upto>) => facts({ upto: upto(...changes) })
const holding = (spendable: bigint) =>
  serving({ account: { balance: asStroops(xlm), spendable: asStroops(spendable) } })
const living = (ttl: ContractTtl | undefined, ...changes: Parameters<typeof upto>) =>
  facts({
    upto: upto(...changes),
    contracts: [contract(), contract({ alias: 'upto', id: 'CUPTO', ttl })],
  })
const codes = (of: NetworkFacts) =>
  warningsOf([of])
    .map(({ code }) => code)
    .filter((code) => code.startsWith('upto_'))

describe('the warnings of the scheme upto', () => {
  test.each<{ when: string; of: NetworkFacts; are: readonly string[] }>([
    { when: 'the scheme is not served', of: facts(), are: [] },
    { when: 'nothing is wrong', of: serving(), are: [] },
    {
      when: 'nothing was read yet',
      of: serving({
        account: undefined,
        tokens: undefined,
        keeper: { state: { value: undefined, misses: 3 } },
      }),
      are: [],
    },
    {
      when: 'the account is missing',
      of: serving({ account: 'missing' }),
      are: ['upto_authority_missing'],
    },
    {
      when: 'it was missing when it was last read, and cannot be read now',
      of: serving({ account: 'missing', accountMisses: 4 }),
      are: ['upto_authority_missing'],
    },
    {
      when: "the previous sponsor's is missing",
      of: serving({ missingEarlier: ['GOLD'] }),
      are: ['upto_authority_missing'],
    },
    { when: 'all of its balance is locked', of: holding(0n), are: [] },
    { when: 'a stroop is not', of: holding(1n), are: ['upto_authority_funded'] },
    {
      when: 'it holds a token',
      of: serving({ tokens: [{ symbol: 'USDC', contract: 'CUSDC', balance: 1n }] }),
      are: ['upto_authority_holds_tokens'],
    },
    { when: 'the contract lives', of: living({ instanceTtl: 0, codeTtl: 0 }), are: [] },
    { when: 'the contract is missing', of: living({ instanceTtl: null }), are: [] },
    { when: 'the contract was never read', of: living(undefined), are: [] },
    {
      when: 'its instance is archived',
      of: living({ instanceTtl: -1, codeTtl: 5 }),
      are: ['upto_contract_restore_required'],
    },
    {
      when: 'its code is archived',
      of: living({ instanceTtl: 5, codeTtl: -1 }),
      are: ['upto_contract_restore_required'],
    },
    {
      when: 'another contract is archived',
      of: facts({ upto: upto(), contracts: [contract({ ttl: { instanceTtl: -1 } })] }),
      are: [],
    },
    {
      when: 'the last round of the keeper failed',
      of: serving({ keeperError: 'the hourly budget is spent' }),
      are: ['upto_ttl_keeper_failed'],
    },
    {
      when: 'the keeper is off, and its last round failed',
      of: serving({
        keeperError: 'x',
        keeper: { ...upto({ keeperError: 'x' }).keeper, enabled: false },
      }),
      are: [],
    },
  ])('when $when: $are', ({ of, are }) => {
    expect(codes(of)).toEqual(are)
  })

  test('say who restores the contract', () => {
    const messageOf = (keeper: { readonly enabled?: boolean; readonly autoRestore?: boolean }) =>
      warningsOf([living({ instanceTtl: -1, codeTtl: -1 }, { keeper })]).find(({ code }) =>
        code.startsWith('upto_'),
      )
    expect(messageOf({})).toMatchObject({
      contract: 'upto',
      message: expect.stringMatching(/instance and code of .* CUPTO .*the keeper restores it/),
    })
    for (const keeper of [{ enabled: false }, { autoRestore: false }]) {
      expect(messageOf(keeper)?.message).toMatch(/; run svc upto restore$/)
    }
  })

  test('are five, in the order of the interface', () => {
    expect(uptoWarningRules.map(({ code, severity }) => [code, severity])).toEqual([
      ['upto_authority_missing', 'critical'],
      ['upto_authority_funded', 'warning'],
      ['upto_authority_holds_tokens', 'warning'],
      ['upto_contract_restore_required', 'critical'],
      ['upto_ttl_keeper_failed', 'warning'],
    ])
    expect(warningCodes.slice(-5)).toEqual(uptoWarningRules.map(({ code }) => code))
  })
})
