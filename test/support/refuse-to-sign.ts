import { vi } from 'vitest'
import type { Facilitator } from '../../src/service/facilitator/open-facilitator.ts'
import type { Signer } from '../../src/stellar/accounts/signer.ts'

/** Has the key of the sponsor on testnet throw until the returned spy is restored. A key in this process signs always otherwise. */
export function refuseToSign({ networks }: Pick<Facilitator, 'networks'>) {
  const sponsor = networks.get('stellar:testnet')?.sponsor
  if (!sponsor) throw new Error('no sponsor')
  return vi.spyOn(sponsor as Signer, 'sign').mockImplementation(() => {
    throw new Error('the vault is sealed')
  })
}
