/** `verified` has one meaning in the registry, the API, the pages and the files: payments of its signers are its own. */
import { expect, test } from 'vitest'
import { facilitatorOf, facilitatorsOf } from '../../../../src/explorer/reading/facilitators.ts'
import { randomSigner, type Signer } from '../../../../src/stellar/accounts/signer.ts'
import { startPagesServer } from '../../../support/explorer/pages-server.ts'
import { openRegistryWorld, supportedOf } from './registry-world.ts'

test('who cannot sign is claimed everywhere, and who has signed is verified everywhere', async () => {
  await using world = await openRegistryWorld()
  const { db } = world.store
  const [signs, cannot, trusted] = [randomSigner(), randomSigner(), randomSigner()]
  const open = async (key: Signer, keys: readonly Signer[]) => {
    const server = await world.openFacilitator(supportedOf([key.address]))
    server.keys = keys
    return server.baseUrl
  }
  const values = [
    { id: 'signs', base_url: await open(signs, [signs]), source: 'announced' as const },
    { id: 'cannot', base_url: await open(cannot, []), source: 'announced' as const },
  ]
  await db.insertInto('explorer_facilitators').values(values).execute()
  const configured = await open(trusted, [])
  await using _registry = world.start({ configured: [configured] })
  await world.untilSigners({ [signs.address]: 'signs', [trusted.address]: '127.0.0.1' })
  await expect
    .poll(async () => (await world.facilitator('cannot'))?.last_seen_at, { timeout: 120_000 })
    .toBeTruthy()

  const expected = { signs: true, cannot: false, '127.0.0.1': true }
  const shares = await facilitatorsOf(db)
  const verifiedOf = (id: string) =>
    shares.find(({ facilitatorId }) => facilitatorId === id)?.verified
  await using server = await startPagesServer({ db })
  const get = async (path: string) => (await fetch(server.baseUrl + path)).text()
  const lines = (await get('/ui/facilitators.csv')).split('\r\n')
  for (const [id, verified] of Object.entries(expected)) {
    const record = await facilitatorOf(db, id)
    expect([id, record?.verified, verifiedOf(id)]).toEqual([id, verified, verified])
    expect([id, record?.signers.length, record?.claimedSigners.length]).toEqual([
      id,
      verified ? 1 : 0,
      verified ? 0 : 1,
    ])
    expect(lines.find((line) => line.startsWith(`${id},`))).toContain(`,${verified},`)
    const page = await get(`/ui/facilitators/${id}`)
    expect(page.includes('so no payment is attributed to it')).toBe(!verified)
    expect(page.includes('Claimed signers')).toBe(!verified)
  }
  const overview = (await get('/ui/facilitators')).replaceAll(/<[^>]*>/g, ' ')
  expect(overview.match(/\bnot verified\b/g)).toHaveLength(1)
})
