/** Text that a spreadsheet may take for a formula. */
const FORMULA = /^[=+\-@\t\r]/

/**
 * One line of CSV (RFC 4180), with its end. Text that a spreadsheet would take for a formula gets an apostrophe before it; numbers
 * have no sign here, so none of them changes.
 */
export const csvLine = (cells: readonly string[]): string => `${cells.map(cell).join(',')}\r\n`

function cell(text: string): string {
  const harmless = FORMULA.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}
