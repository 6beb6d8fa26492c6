import { account, type Changes, facts, keeper, stored, upto } from '../../facts.ts'
import type { ProblemCase } from '../case.ts'

const { upto: served } = facts()
if (!served) throw new Error('the scheme upto is served')
const holding = (symbol: string): Changes => {
  const tokens = { value: [{ symbol, contract: 'CUSDC', balance: 1n }], misses: 0 }
  return { derived: { upto: { ...served, authority: { ...served.authority, tokens } } } }
}
const unread: Changes = {
  derived: {
    upto: {
      ...served,
      ttl: undefined,
      authority: {
        ...served.authority,
        account: { value: undefined, misses: 3 },
        tokens: { value: undefined, misses: 3 },
      },
      keeper: { ...served.keeper, state: { value: undefined, misses: 3 } },
    },
  },
}
const archived = upto({}, { instance: { key: 'instance', ttl: -1 } })
const failed = { stored: stored({ keeper: keeper({ error: 'the budget is spent' }) }) }
const off = { enabled: false, autoRestore: false }

export const uptoCases: readonly ProblemCase[] = [
  {
    finds: 'upto-authority-missing',
    when: 'the ledger has no account of it',
    given: { uptoRead: upto({ account: undefined }) },
    says: /^problem: the settlement authority GAUTHORITY is not on the ledger: .* -> create it with svc provision/,
  },
  {
    finds: 'upto-authority-missing',
    when: "the previous sponsor's is missing",
    given: { uptoRead: upto({ missingEarlier: ['GOLD'] }) },
    says: /^problem: the settlement authority GOLD of the previous sponsor.*TESTNET_PREVIOUS_SPONSOR_SECRET/,
  },
  {
    finds: 'upto-authority-funded',
    when: 'a stroop is not locked',
    given: { uptoRead: upto({ account: account({ balance: 1n }) }) },
    says: /^warning: the settlement authority GAUTHORITY can spend 0\.0000001 XLM and should have nothing/,
  },
  {
    finds: 'upto-authority-holds-tokens',
    when: 'it holds a token',
    given: holding('USDC'),
    says: /^the settlement authority GAUTHORITY holds 1 base units of USDC \(CUSDC\)/,
  },
  {
    finds: 'upto-next-authority-missing',
    when: 'that of the next sponsor has to exist before replicas serve it',
    given: { uptoRead: upto({ missingNext: 'GNEXT' }) },
    says: /^warning: GNEXT, of the next sponsor, is not on the ledger -> .*svc provision with that seed/,
  },
  { finds: { nothingIn: 'upto-authority' }, when: 'nothing was read yet', given: unread },
  {
    finds: 'upto-contract-missing',
    when: 'the ledger has no such contract',
    given: { uptoRead: upto({}, { instance: undefined, wasmHash: undefined }) },
    says: /^problem: C\w+ is not on this network -> correct TESTNET_UPTO_CONTRACT/,
  },
  {
    finds: 'upto-contract-unknown',
    when: 'it runs other code',
    given: { uptoRead: upto({}, { wasmHash: 'f00d' }) },
    says: /^problem: C\w+ runs the code f00d, this version knows [0-9a-f]{64}/,
  },
  {
    finds: 'upto-contract-archived',
    when: 'its code is archived, and the keeper restores it',
    given: {
      uptoRead: upto({}, { code: { key: 'code', ttl: -1 } }),
      uptoKeeper: { autoRestore: true },
    },
    says: /^problem: the code of the settlement contract C\w+ must be restored: .* -> the keeper restores it/,
  },
  {
    finds: 'upto-contract-archived',
    when: 'its instance is archived, and the keeper restores nothing',
    given: { uptoRead: archived, uptoKeeper: { autoRestore: false } },
    says: /^problem: the instance of .* -> run svc upto restore$/,
  },
  {
    finds: 'upto-contract-archived',
    when: 'its instance is archived, and the keeper is off',
    given: { uptoRead: archived, uptoKeeper: { enabled: false } },
    says: /-> run svc upto restore$/,
  },
  {
    finds: 'upto-keeper-off',
    when: 'it is off, whatever its last round was',
    given: { ...failed, uptoKeeper: off },
    says: /^warning: off: nothing extends the TTL of the settlement contract/,
  },
  {
    finds: 'upto-keeper-failed',
    when: 'its last round failed',
    given: failed,
    says: /^warning: the keeper of the settlement contract C\w+ failed: the budget is spent -> svc upto status/,
  },
  {
    finds: { nothingIn: 'upto-contract' },
    when: 'another contract is archived',
    given: { ttl: { instanceTtl: -1 } },
    health: ['contract_archived'],
  },
]
