import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest'
import { openWorld, type World } from '../support/world.ts'
import { buyerObjects, jokeUrl, sellerObjects } from '../support/world-market.ts'
import { places, seller as sellerAt } from '../support/world-places.ts'

describe('after the commands of docs/install.md', () => {
  let world: World

  beforeAll(async () => {
    world = await openWorld(inject('world'))
  })
  afterAll(() => world.ready())

  test('a stock buyer in a Job pays a stock seller in a Deployment, and catalog and explorer show it', async () => {
    const [seller, buyer] = [await world.account(1), await world.account(1)]
    await world.apply(sellerObjects(seller.address))
    await world.shell.type(
      `kubectl -n ${places.sellers} rollout status deployment/${sellerAt.name}`,
    )
    await world.apply(buyerObjects('first', buyer.secret, world.authority))
    const ended = await world.shell.type(
      `kubectl -n ${places.buyers} wait --for=condition=Complete job/first --timeout=60s || true
       kubectl -n ${places.buyers} logs job/first`,
    )

    expect(ended).toContain('200 {"joke":"Two stroops walk into a ledger."}')
    const [, hash = ''] = /transaction: '([0-9a-f]{64})'/.exec(ended) ?? []
    expect(hash).not.toBe('')

    const search = await eventually(`${world.catalogUrl}/discovery/search?query=joke`, jokeUrl)
    expect(search).toMatchObject({ resources: [{ resource: jokeUrl, svc: { settlements: 1 } }] })
    const feed = await eventually(`${world.explorerUrl}/feed`, hash)
    const shown = { txHash: hash, buyer: buyer.address, seller: seller.address, confidence: 'svc' }
    expect(feed).toMatchObject({ items: expect.arrayContaining([expect.objectContaining(shown)]) })
  })

  test('no container has ended since it started, whatever its start order', async () => {
    const restarts = await Promise.all(
      [places.operator, places.shop, places.infra].map(async (namespace) => {
        const { body } = await world.cluster.request('GET', `/api/v1/namespaces/${namespace}/pods`)
        const pods = body['items'] as { metadata: { name: string }; status: Status }[]
        return pods.flatMap(({ metadata, status }) =>
          status.containerStatuses.map(({ restartCount }) => ({
            pod: metadata.name,
            restartCount,
          })),
        )
      }),
    )
    expect(restarts.flat().filter(({ restartCount }) => restartCount > 0)).toEqual([])
    expect(restarts.flat().length).toBeGreaterThan(8)
  })

  test('kubectl shows an administrator that it serves', async () => {
    const got = await world.shell.type(
      `kubectl -n ${places.shop} get facilitators,channelpools -o wide`,
    )
    expect(got).toMatch(
      /payments +True +2\/2 +stellar:testnet +http:\/\/payments-facilitator\.shop/,
    )
    expect(got).toMatch(/testnet +stellar:testnet +8\/8/)

    const status = await world.shell.type(
      `PATH=$PWD/bin:$PATH kubectl svc status -n ${places.shop}`,
    )
    expect(status).toContain('READY (Serving)')
    expect(status).toContain('PROBLEMS: none')
    expect(status).toMatch(/Explorer +1\/1/)
  })

  test('svc runs in a pod without a shell', async () => {
    const status = await world.shell.type(
      `kubectl -n ${places.shop} exec deploy/payments-facilitator -- svc status`,
    )
    expect(status).toContain('stellar:testnet')
  })
})

interface Status {
  readonly containerStatuses: readonly { readonly restartCount: number }[]
}

/** The JSON of an address once its text has the words. */
async function eventually(url: string, words: string): Promise<unknown> {
  let text = ''
  await vi.waitUntil(
    async () => {
      text = await (await fetch(url)).text()
      return text.includes(words)
    },
    { timeout: 30_000, interval: 200 },
  )
  return JSON.parse(text)
}
