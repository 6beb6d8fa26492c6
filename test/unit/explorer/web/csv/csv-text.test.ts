import { describe, expect, test } from 'vitest'
import { csvText, MAX_ROWS, type Part } from '../../../../../src/explorer/web/csv/csv-text.ts'

const columns = { number: (row: number) => row }

async function gather<T>(from: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const each of from) all.push(each)
  return all
}

const textOf = async (parts: readonly Part<number>[]) => {
  const text = await gather(
    csvText(
      columns,
      (async function* () {
        yield* parts
      })(),
    ),
  )
  return text.join('')
}

describe('csvText', () => {
  test('starts with what spreadsheets take for UTF-8, and names the columns', async () => {
    expect(await textOf([{ rows: [1, 2], hasMore: false }])).toBe('\ufeffnumber\r\n1\r\n2\r\n')
    expect(await textOf([{ rows: [], hasMore: false }])).toBe('\ufeffnumber\r\n')
  })

  const many = (count: number) => Array.from({ length: count }, (_, index) => index)

  test.each([
    { rows: MAX_ROWS - 1, hasMore: false, isCut: false },
    { rows: MAX_ROWS, hasMore: false, isCut: false },
    { rows: MAX_ROWS, hasMore: true, isCut: true },
    { rows: MAX_ROWS + 1, hasMore: false, isCut: true },
  ])(
    'says whether $rows rows (more: $hasMore) were cut: $isCut',
    async ({ rows, hasMore, isCut }) => {
      const half = Math.floor(rows / 2)
      const text = await textOf([
        { rows: many(half), hasMore: true },
        { rows: many(rows - half), hasMore },
      ])
      const lines = text.trimEnd().split('\r\n')
      expect(lines).toHaveLength(1 + Math.min(rows, MAX_ROWS) + (isCut ? 1 : 0))
      expect(lines.at(-1)?.includes('ends after 10000 rows')).toBe(isCut)
    },
  )

  test('reads no further than it writes', async () => {
    let reads = 0
    const endless = (async function* () {
      for (;;) {
        reads += 1
        yield { rows: many(MAX_ROWS / 2), hasMore: true }
      }
    })()
    await gather(csvText(columns, endless))
    expect(reads).toBe(2)
  })
})
