/**
 * `no_account`: the ledger has no such contract. `wrong_key`: the account takes no signature of the key. `policy_refused`: a policy of the account
 * refuses the call, and nothing was signed. `account_refused`: the account refuses what was signed.
 */
export type AccountRefusalCode = 'no_account' | 'wrong_key' | 'policy_refused' | 'account_refused'

/** The contract account cannot pay, or does not want to. */
export class AccountRefusal extends Error {
  override readonly name = 'AccountRefusal'
  readonly code: AccountRefusalCode

  /** @param message without a full stop at the end */
  constructor(code: AccountRefusalCode, message: string) {
    super(message)
    this.code = code
  }
}
