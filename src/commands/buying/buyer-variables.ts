/** The variables of a buyer, for the help of a command that pays. */
export const keyVariables = [
  ['BUYER_SECRET', "the payer's seed, or BUYER_SECRET_FILE with the path of a file that holds it"],
  ['BUYER_ACCOUNT', 'the same as --account, where no flag names a place of the key'],
  ['BUYER_KEYCHAIN', 'the same as --keychain, where no other place of the seed is named'],
] as const

export const uptoContractsVariable = [
  'BUYER_UPTO_CONTRACTS',
  'the only settlement contracts of upto to sign for, comma-separated; these too must run the code of this project, as the Stellar RPC says',
] as const
