import { expect, test } from 'vitest'
import { uptoContract } from '../../../../../src/localnet/genesis/upto-contract.ts'
import { authoritySigner } from '../../../../../src/payments/channels/derive.ts'
import { passphrases } from '../../../../../src/platform/core/caip2.ts'
import { network, newSponsor, onLedger, openAdminWorld, XLM } from '../../admin-world.ts'
import { runHere } from '../../run-here.ts'

const contract = uptoContract(passphrases[network])

test('the admin commands create the settlement authority, show it, and merge it', async () => {
  await using world = await openAdminWorld()
  const sponsor = newSponsor()
  const authority = authoritySigner(sponsor.secret, network).address
  await world.fund(sponsor, 10n * XLM)
  const env = world.env(sponsor, { TESTNET_UPTO_CONTRACT: contract })

  const provisioned = await runHere(env, 'provision')
  expect(provisioned).toMatchObject({
    code: 0,
    lines: [{ created: 2, authority, authoritiesCreated: 1 }],
  })
  expect(onLedger(world, authority)).toEqual({ balance: 0n, sponsoring: 0 })
  expect((await runHere(env, 'provision')).lines).toMatchObject([
    { created: 0, authority, authoritiesCreated: 0 },
  ])

  const status = await runHere(env, 'status')
  const person = await runHere(env, 'status', '--human')
  const doctor = await runHere(env, 'doctor')
  expect(status.lines).toMatchObject([
    {
      upto: {
        contract,
        ledger: {
          authority,
          authorityOnLedger: true,
          authoritySpendableXlm: '0',
          contractOnLedger: true,
          hasKnownCode: true,
          instanceTtlLedgers: expect.any(Number),
          codeTtlLedgers: expect.any(Number),
        },
        keeper: { enabled: true, checkedAt: null, lastAction: null, error: null },
      },
    },
  ])
  expect(person.out).toContain(`${authority}, empty`)
  expect(person.out).toMatch(new RegExp(`${contract}, code of this version, \\d+ ledgers to live`))
  const checks = doctor.lines.filter(({ check }) => check.startsWith('upto-'))
  expect(checks).toMatchObject([
    { check: 'upto-authority', status: 'ok', says: expect.stringContaining(authority) },
    { check: 'upto-contract', status: 'ok', says: expect.stringContaining(contract) },
    { check: 'upto-keeper', status: 'ok', says: expect.stringContaining('has not run yet') },
  ])

  const retired = await runHere(env, 'retire')
  expect(retired).toMatchObject({ code: 0, lines: [{ merged: 3, stillSponsoring: 0 }] })
  expect(onLedger(world, authority)).toBeUndefined()
})
