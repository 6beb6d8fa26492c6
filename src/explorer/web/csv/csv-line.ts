export type CsvValue = string | number | boolean | undefined

/** First characters that make a spreadsheet take a cell for a formula, in normal and in full width. */
const STARTS_FORMULA = /^[\s\p{Cf}]*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/u
const NEEDS_QUOTES = /[",\r\n\t;]|^\s|\s$/

/**
 * A line of CSV (RFC 4180). Names and memos are texts of others: one that a spreadsheet would run as a formula gets an
 * apostrophe in front, which spreadsheets take for "this is text". Amounts are exact: digits, never in exponents.
 */
export const csvLine = (values: readonly CsvValue[]): string => `${values.map(cell).join(',')}\r\n`

function cell(value: CsvValue): string {
  if (value === undefined) return ''
  const text = String(value)
  const safe = STARTS_FORMULA.test(text) ? `'${text}` : text
  return NEEDS_QUOTES.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
