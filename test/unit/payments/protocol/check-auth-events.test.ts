import { StrKey } from '@stellar/stellar-sdk'
import { expect, test } from 'vitest'
import { checkAuthEvents } from '../../../../src/payments/checks/events.ts'
import type { HostEvent, ScValue } from '../../../../src/stellar/values/sc-value.ts'
import { asset, otherContract as policy, smartAccount } from './payment-builder.ts'

const symbol = (value: string): ScValue => ({ type: 'symbol', value })

const emitted = (
  kind: HostEvent['kind'],
  contract: string | undefined,
  ...topics: readonly ScValue[]
): HostEvent => ({
  kind,
  inSuccessfulCall: true,
  ...(contract !== undefined && { contract }),
  topics,
  data: { type: 'void' },
})

/** The diagnostic event before a call; `by` is absent for the call that the transaction makes. */
const calls = (by: string | undefined, contract: string, functionName: string) => {
  const id: ScValue = { type: 'bytes', value: StrKey.decodeContract(contract) }
  return emitted('diagnostic', by, symbol('fn_call'), id, symbol(functionName))
}
const returns = (contract: string, functionName: string) =>
  emitted('diagnostic', contract, symbol('fn_return'), symbol(functionName))

const spent = emitted('contract', policy, symbol('spent'))
const moved = emitted('contract', asset, symbol('transfer'))
const begin = calls(undefined, asset, 'transfer')
const end = returns(asset, 'transfer')
const check = calls(asset, smartAccount, '__check_auth')
const checked = returns(smartAccount, '__check_auth')
const [enforce, enforced] = [calls(smartAccount, policy, 'enforce'), returns(policy, 'enforce')]
const [hook, hooked] = [calls(asset, policy, 'hook'), returns(policy, 'hook')]

test.each<{ when: string; events: readonly HostEvent[]; found: readonly HostEvent[] }>([
  {
    when: 'finds the event of a policy that __check_auth calls',
    events: [begin, check, enforce, spent, enforced, checked, moved, end],
    found: [spent],
  },
  {
    when: 'finds none when the token calls the policy after the check',
    events: [begin, check, checked, hook, spent, hooked, moved, end],
    found: [],
  },
  {
    when: 'finds none when the token calls the policy before the check',
    events: [begin, hook, spent, hooked, check, checked, moved, end],
    found: [],
  },
  {
    when: 'finds none after a check that failed, whose call has no end',
    events: [begin, check, enforce, hook, spent, hooked, moved, end],
    found: [],
  },
  {
    when: 'finds none when another function of the account calls the policy',
    events: [begin, calls(asset, smartAccount, 'hook'), enforce, spent, enforced, moved, end],
    found: [],
  },
  {
    when: 'finds none when another account is checked',
    events: [begin, calls(asset, policy, '__check_auth'), spent, moved, end],
    found: [],
  },
  {
    when: 'finds none of a contract without a call',
    events: [begin, check, spent, checked, moved, end],
    found: [],
  },
  {
    when: 'finds none when the endpoint leaves out diagnostic events',
    events: [spent, moved],
    found: [],
  },
])('$when', ({ events, found }) => {
  expect([...checkAuthEvents(events, smartAccount)]).toEqual(found)
})
