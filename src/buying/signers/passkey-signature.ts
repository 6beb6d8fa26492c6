import { xdr } from '@stellar/stellar-sdk'
import type { Assertion } from './account-key.ts'
import { structValue } from './sc-values.ts'

export const passkeySignature = (assertion: Assertion): xdr.ScVal =>
  structValue({
    authenticator_data: xdr.ScVal.scvBytes(assertion.authenticatorData),
    client_data: xdr.ScVal.scvBytes(assertion.clientData),
    signature: xdr.ScVal.scvBytes(assertion.signature),
  })
