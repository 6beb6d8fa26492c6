import { expect } from 'vitest'
import { authoritySigner } from '../../../src/payments/channels/derive.ts'
import { contractInstanceKey } from '../../../src/stellar/contracts/contract-ttl.ts'
import { archive, rewrite, setTtl } from '../../support/ledger-surgery.ts'
import { accountEntry, accountKey } from '../../support/ledger-view.ts'
import { type AlertWorld, contract } from '../support/alert-world.ts'
import type { Round } from '../support/round.ts'
import { ofFacilitator } from './labels.ts'

const instance = Buffer.from(contractInstanceKey(contract), 'base64')
const authorityOf = ({ sponsor }: AlertWorld): string =>
  authoritySigner(sponsor.secret, 'stellar:testnet').address
let before = 0n
let shortening: NodeJS.Timeout | undefined

/** None of them needs the operator. */
export const uptoRounds: readonly Round[] = [
  {
    fault: 'the settlement contract is archived, and its authority got XLM',
    alerts: { X402UptoRestoreRequired: ofFacilitator, X402UptoAuthorityFunded: ofFacilitator },
    make: async ({ world }) => {
      const address = authorityOf(world)
      before = accountEntry(world.localnet.network, address).balance
      archive(world.localnet.network, instance)
      await world.localnet.pay({ address, asset: 'XLM', amount: 70_000_000n })
    },
    check: async ({ world }) => {
      expect((await world.facilitator.exec('upto', 'status', '--human')).out).toMatch(/archived/i)
      expect((await world.facilitator.exec('doctor')).out).toContain(authorityOf(world))
    },
    repair: async ({ world }) => {
      const { code, err } = await world.facilitator.exec('upto', 'restore', '--yes')
      rewrite(world.localnet.network, accountKey(authorityOf(world)), (data) => {
        if (data.type === 'account') Object.assign(data.account, { balance: before })
      })
      expect(code, err).toBe(0)
    },
  },
  {
    fault: 'the keeper cannot simulate what extends the settlement contract',
    alerts: { X402UptoKeeperFailed: ofFacilitator },
    make: async ({ world, traffic }) => {
      await traffic.stop()
      world.rpc.fail('simulateTransaction', { kind: 'hang up' })
      // An extension that was sent before would end this.
      shortening = setInterval(() => setTtl(world.localnet.network, instance, 20_000), 1_000)
    },
    check: async ({ world }) => {
      expect((await world.facilitator.exec('upto', 'status', '--human')).out).not.toBe('')
    },
    repair: async ({ world, traffic }) => {
      clearInterval(shortening)
      world.rpc.heal()
      traffic.resume()
    },
  },
]
