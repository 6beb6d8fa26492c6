import { addressKind, isSecretSeed } from '../../stellar/accounts/strkey.ts'
import { required } from '../rows/kinds.ts'

/* Kinds of value that only the library of Stellar can check: its load time keeps them out of settings/rows. */

export const secretSeed = required('a secret seed (S...)', isSecretSeed, (text) =>
  addressKind(text) === 'account'
    ? 'is the public key (G...) of an account: it must be its secret seed (S...)'
    : undefined,
)

export const isContract = (text: string): boolean => addressKind(text) === 'contract'
