/** A trustline holds no more than its limit, and has one kind of authorization at most (CAP-18). */
import { addressOf } from '../../../../../src/localnet/ledger/account-id.ts'
import { type Trustline, trustlineFlags } from '../../../../../src/localnet/ledger/trustline.ts'
import type { Rule } from '../decoded-ledger.ts'

export const trustlines: Rule = {
  name: 'trustlines stay within their limits',
  start:
    () =>
    ({ after }) =>
      after.trustlines
        .filter(isBroken)
        .map(
          ({ account, balance, limit, flags }) =>
            `${addressOf(account)} holds ${balance} of at most ${limit}, flags ${flags}`,
        ),
}

const { authorized, authorizedToMaintainLiabilities } = trustlineFlags
const BOTH = authorized | authorizedToMaintainLiabilities

const isBroken = ({ balance, limit, flags }: Trustline): boolean =>
  balance < 0n || limit <= 0n || balance > limit || (flags & BOTH) === BOTH
