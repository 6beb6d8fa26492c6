import type { Columns } from './columns.ts'
import { csvLine } from './csv-line.ts'

/** A file has at most so many rows; the API has all, page by page. */
export const MAX_ROWS = 10_000

/** Spreadsheets need it to read the file as UTF-8. */
const BYTE_ORDER_MARK = '\ufeff'

/** The part of a table that one read returns, and whether more follows. */
export interface Part<Row> {
  readonly rows: readonly Row[]
  readonly hasMore: boolean
}

/**
 * The text of a file, part by part, so that no whole file is kept. A last line says so when the table has more rows than a
 * file.
 */
export async function* csvText<Row>(
  columns: Columns<Row>,
  parts: AsyncIterable<Part<Row>>,
): AsyncGenerator<string, void> {
  const cells = Object.values(columns)
  let text = BYTE_ORDER_MARK + csvLine(Object.keys(columns))
  let left = MAX_ROWS
  for await (const { rows, hasMore } of parts) {
    const shown = rows.slice(0, left)
    left -= shown.length
    text += shown.map((row) => csvLine(cells.map((cell) => cell(row)))).join('')
    const isCut = left === 0 && (hasMore || shown.length < rows.length)
    if (isCut) {
      text += csvLine([
        `This file ends after ${MAX_ROWS} rows. The table has more: use filters, or the API, which has all.`,
      ])
    }
    yield text
    if (isCut) return
    text = ''
  }
}
