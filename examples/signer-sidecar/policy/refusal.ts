/** Every code with which a request is refused, and what it says. */
export const refusalCodes = {
  malformed: 'no canonical base64 XDR of an envelope, or more than that',
  network: 'a network that the configuration does not name',
  envelope_type: 'neither a transaction of version 1 nor a fee bump',
  muxed_account: 'a muxed account (M...) in any place',
  fee_source: 'a fee bump that another account pays for',
  inner_source: 'a fee bump around a transaction of the sponsor itself',
  not_ours: 'a transaction that needs no signature of the sponsor',
  memo: 'a memo',
  preconditions: 'preconditions that no transaction of the facilitator has',
  max_time: 'no max time, a past one, or one too far ahead of the clock of the sidecar',
  operation: 'an operation that is never signed',
  operation_source: 'an operation whose source may not do this',
  shape: 'operations that do not stand together in a transaction of the facilitator',
  payment: 'XLM to an address that is no recipient, or another asset',
  merge: 'a merge into an address that is no recipient',
  create_account: 'an account that gets XLM, or whose reserve is not sponsored',
  sponsorship: 'a sponsorship other than that of a new account or of a hand-over',
  data_entry: 'a data entry that the configuration does not name',
  contract_call: 'a contract operation in another form than that of a settlement',
  contract_deploy: 'code or a contract, where the configuration does not allow it',
  sponsor_auth: 'an authorization entry of the sponsor',
  soroban_data: 'Soroban data where there may be none, or none where it must be',
  fee_ceiling: 'a fee above maxFeeStroops',
  fees_per_hour: 'fees above maxXlmPerHour',
  accounts_per_day: 'more new accounts than channels.maxPerDay',
  message: 'a message that is no announcement',
  announcement_url: 'an announcement of a base URL that the configuration does not name',
  announcement_network: 'an announcement for another network than that of the request',
  announcement_signer: 'an announcement of another account',
  announcement_expiry: 'an announcement that has expired, or that is valid for too long',
} as const
export type RefusalCode = keyof typeof refusalCodes

/** The rules forbid a request. The reason goes to the client and holds no secret. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly code: RefusalCode

  constructor(code: RefusalCode, reason: string) {
    super(reason)
    this.code = code
  }
}

export function refuse(code: RefusalCode, reason: string): never {
  throw new Refusal(code, reason)
}
