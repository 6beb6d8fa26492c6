import { describe, expect, it } from 'vitest'
import { hostPacing } from '../../../../../src/explorer/ingest/pace/pace-clients.ts'
import { FakeClock } from '../../../../support/fake-clock.ts'
import { FakeEndpoint } from '../../../stellar/rpc/fake-endpoint.ts'

describe('hostPacing', () => {
  it('lets ten requests a second through to a host, over all its endpoints and networks', async () => {
    const clock = new FakeClock()
    const pace = hostPacing({ clock })
    const one = new FakeEndpoint()
    const two = new FakeEndpoint()
    const other = new FakeEndpoint()
    const named = (name: string, endpoint: FakeEndpoint) => ({ name, client: endpoint.client })
    const clients = [
      ...pace([named('rpc.example (1)', one), named('rpc.example (2)', two)]),
      ...pace([named('rpc.example', one), named('other.example', other)]),
    ].map(({ client }) => client)
    const asked = Promise.all(
      clients.flatMap((client) => [
        client.transactionsPage({ startLedger: 1 }, 1),
        client.latestLedger(),
      ]),
    )
    const counts = () => [one.requests.length + two.requests.length, other.requests.length]
    await clock.advance(0)
    expect(counts()).toEqual([1, 1])
    await clock.advance(100)
    expect(counts()).toEqual([2, 2])
    await clock.advance(399)
    expect(counts()).toEqual([5, 2])
    await clock.advance(1)
    expect(counts()).toEqual([6, 2])
    await asked
  })

  it('goes on at the same pace when the clock is set back', async () => {
    const clock = new FakeClock()
    const endpoint = new FakeEndpoint()
    const [paced] = hostPacing({ clock })([{ name: 'rpc.example', client: endpoint.client }])
    await paced?.client.latestLedger()
    clock.jump(-86_400_000)
    const asked = paced?.client.latestLedger()
    await clock.advance(100)
    await asked
    expect(endpoint.requests).toHaveLength(2)
  })
})
