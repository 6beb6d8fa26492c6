import { Asset } from '@stellar/stellar-sdk'
import { expect, test } from 'vitest'
import {
  networkIds,
  passphrases,
  usdcContracts,
  usdcIssuers,
} from '../../../../src/platform/core/caip2.ts'

test.each(networkIds)('the USDC contract of %s follows from its issuer', (network) => {
  const asset = new Asset('USDC', usdcIssuers[network])
  expect(asset.contractId(passphrases[network])).toBe(usdcContracts[network])
})
