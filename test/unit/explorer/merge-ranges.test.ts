import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { compareInFeed, type FeedKey } from '../../../src/explorer/store/feed/read-feed-rows.ts'
import { mergeRanges } from '../../../src/explorer/store/ingest/merge-ranges.ts'

type Payment = FeedKey & { readonly kind: number }

/** Reads as the store does, and counts rows and statements. */
class Rows {
  rows = 0
  statements = 0
  readonly #byKind: ReadonlyMap<number, readonly Payment[]>

  constructor(all: readonly Payment[]) {
    this.#byKind = Map.groupBy(all.toSorted(compareInFeed), ({ kind }) => kind)
  }

  read: Parameters<typeof mergeRanges<Payment>>[2] = async (starts, { depth, limit }) => {
    this.statements += 1
    const found = starts.flatMap(({ kind, latest, after }) =>
      (this.#byKind.get(kind) ?? [])
        .filter((each) => (after ? compareInFeed(each, after) > 0 : each.position <= latest))
        .slice(0, depth),
    )
    this.rows += found.length
    return found.sort(compareInFeed).slice(0, limit)
  }
}

const payment = fc
  .record({ kind: fc.nat(6), position: fc.nat(9), hash: fc.nat(3), opIndex: fc.nat(1) })
  .map(
    ({ kind, position, hash, opIndex }): Payment => ({
      kind,
      position: BigInt(position),
      txHash: `${hash}${kind}`,
      opIndex,
    }),
  )

const key = ({ position, txHash, opIndex }: Payment) => `${position} ${txHash} ${opIndex}`

/** What the store says of each kind: nothing is later, and perhaps nothing is as late. */
const rangesOf = (payments: readonly Payment[], highest: bigint, slack: bigint) =>
  [0, 1, 2, 3, 4, 5, 6].map((kind) => {
    const latest =
      payments
        .filter((each) => each.kind === kind)
        .reduce((max, { position }) => (position > max ? position : max), 0n) + slack
    return { kind, latest: latest < highest ? latest : highest }
  })

describe('mergeRanges', () => {
  test('gives the first of all, in order, whatever the ranges and the place to begin', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(payment, { selector: key, maxLength: 60 }),
        fc.integer({ min: 1, max: 9 }),
        fc.option(payment, { nil: undefined }),
        fc.bigInt(0n, 3n),
        async (payments, limit, after, slack) => {
          const rows = new Rows(payments)
          const ranges = rangesOf(payments, after?.position ?? 100n, slack)
          const merged = await mergeRanges(ranges, { limit, after }, rows.read)
          const expected = payments
            .toSorted(compareInFeed)
            .filter((each) => !after || compareInFeed(each, after) > 0)
            .slice(0, limit)
          expect(merged).toEqual(expected)
        },
      ),
    )
  })

  it('reads few rows in few statements of thousands of ranges, first and later', async () => {
    const payments = Array.from(
      { length: 40_000 },
      (_, number): Payment => ({
        kind: number % 4_000,
        position: BigInt((number * 7_919) % 100_000),
        txHash: String(number),
        opIndex: 0,
      }),
    )
    const latest = new Map<number, bigint>()
    for (const { kind, position } of payments) {
      const known = latest.get(kind)
      if (known === undefined || position > known) latest.set(kind, position)
    }
    const ranges = [...latest].map(([kind, position]) => ({ kind, latest: position }))
    const all = payments.toSorted(compareInFeed)

    const first = new Rows(payments)
    const page = { limit: 101, after: undefined }
    expect(await mergeRanges(ranges, page, first.read)).toEqual(all.slice(0, 101))
    expect(first.rows).toBeLessThan(3_000)
    expect(first.statements).toBeLessThan(5)

    const after = all[20_000]
    const later = new Rows(payments)
    const cut = ranges.map((range) => ({
      ...range,
      latest: after && range.latest > after.position ? after.position : range.latest,
    }))
    expect(await mergeRanges(cut, { limit: 101, after }, later.read)).toEqual(
      all.slice(20_001, 20_102),
    )
    expect(later.rows).toBeLessThan(4_000 + 3_000)
    expect(later.statements).toBeLessThan(6)
  })
})
