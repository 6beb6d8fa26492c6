import { xdr } from '@stellar/stellar-sdk'
import { expect, test } from 'vitest'
import { signedAuthorization } from '../../../../src/buying/sign/signed-authorization.ts'
import { usdcContracts } from '../../../../src/platform/core/caip2.ts'
import {
  buyer,
  channel,
  credentialsOf,
  envelopeOf,
} from '../../../support/explorer/synthetic-transaction.ts'

const asset = usdcContracts['stellar:testnet']
const signedBy = (address: string, nonce: bigint) =>
  xdr.SorobanCredentials.sorobanCredentialsAddress(
    new xdr.SorobanAddressCredentials({ ...credentialsOf(address), nonce }),
  )
const authorizationIn = (...credentials: xdr.SorobanCredentials[]) => {
  const payload = { transaction: envelopeOf({ credentials }).toXdr('base64') }
  return signedAuthorization({ payload }, { asset }, { payer: buyer, afterLedger: 1 })
}

test('the authorization of a payment is the only one of its payer', () => {
  const found = authorizationIn(signedBy(channel, 8n), signedBy(buyer, 7n))
  expect(found).toMatchObject({ asset, payer: buyer, nonce: 7n, afterLedger: 1 })
})

test.each([
  ['none', []],
  ['two', [signedBy(buyer, 7n), signedBy(buyer, 8n)]],
])('a payment with %s of the payer is refused', (_, credentials) => {
  expect(() => authorizationIn(...credentials)).toThrow(/authorizations of the payer/)
})
