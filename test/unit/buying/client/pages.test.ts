import { expect, test } from 'vitest'
import { explorerClient, facilitatorClient } from '../../../../src/package/client.ts'

/** Answers one after the other, and records the queries. */
function answering(...answers: readonly object[]) {
  const queries: object[] = []
  const left = [...answers]
  const fetch = async (url: unknown) => {
    queries.push(Object.fromEntries(new URL(String(url)).searchParams))
    const answer = left.shift()
    if (answer === undefined) throw new Error('asked once too often')
    return Response.json(answer)
  }
  return { queries, options: { url: 'https://services.example', fetch } }
}

async function collect<T>(pages: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const page of pages) all.push(page)
  return all
}

test('pages of resources are those of one moment', async () => {
  const page = (offset: number) => ({
    items: offset === 2 ? [{}] : [{}, {}],
    pagination: { limit: 2, offset, total: 3, asOf: '2026-11-21T00:00:00.000Z' },
  })
  const { queries, options } = answering(page(0), page(2))
  const { resources } = facilitatorClient(options)
  expect(await collect(resources.pages({ type: 'http', limit: 2 }))).toEqual([page(0), page(2)])
  expect(queries).toEqual([
    { type: 'http', limit: '2' },
    { type: 'http', limit: '2', offset: '2', asOf: '2026-11-21T00:00:00.000Z' },
  ])
})

test('pages of a search follow the cursor, with the same words', async () => {
  const pages = ['next', null].map((cursor) => ({
    resources: [],
    pagination: { limit: 1, cursor },
  }))
  const { queries, options } = answering(...pages)
  expect(await collect(facilitatorClient(options).search.pages({ query: 'x' }))).toEqual(pages)
  expect(queries).toEqual([{ query: 'x' }, { query: 'x', cursor: 'next' }])
})

test('pages of payments follow the cursor', async () => {
  const pages = [{ items: [{}], nextCursor: 'a' }, { items: [] }]
  const { queries, options } = answering(...pages)
  expect(await collect(explorerClient(options).feed.pages())).toEqual(pages)
  expect(queries).toEqual([{}, { cursor: 'a' }])
})

test('pages of sellers end with the total, and with an empty page', async () => {
  const page = (offset: number, items: readonly object[]) => ({
    items,
    pagination: { limit: 1, offset, total: 3 },
  })
  const { queries, options } = answering(page(0, [{}]), page(1, [{}]), page(2, []))
  expect(await collect(explorerClient(options).sellers.pages({ limit: 1 }))).toHaveLength(3)
  expect(queries).toEqual([
    { limit: '1' },
    { limit: '1', offset: '1' },
    { limit: '1', offset: '2' },
  ])
})

test('a page that nobody asks for is not requested', async () => {
  const { queries, options } = answering({ items: [{}], nextCursor: 'a' })
  for await (const _ of explorerClient(options).feed.pages()) break
  expect(queries).toHaveLength(1)
})
