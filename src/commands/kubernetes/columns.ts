import { printable } from '../../platform/core/text/printable.ts'

/** Lines of a table, whose cells may hold the words of strangers, with two spaces between columns; the last column is not padded. */
export function columns(rows: readonly (readonly string[])[]): string[] {
  const shown = rows.map((row) => row.map(printable))
  const count = Math.max(...shown.map((row) => row.length))
  const widths = Array.from({ length: count }, (_, index) =>
    Math.max(...shown.map((row) => row[index]?.length ?? 0)),
  )
  return shown.map((row) =>
    row
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}

/** A text of at most `width` columns; a longer one ends in two dots. */
export const cutTo = (width: number, text: string): string =>
  text.length <= width ? text : `${text.slice(0, width - 2).trimEnd()}..`

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** `45s`, `12m`, `5h`, `3d`, as kubectl writes ages. */
export function age(ms: number): string {
  if (ms < 2 * MINUTE) return `${Math.max(0, Math.round(ms / 1_000))}s`
  if (ms < 2 * HOUR) return `${Math.floor(ms / MINUTE)}m`
  if (ms < 2 * DAY) return `${Math.floor(ms / HOUR)}h`
  return `${Math.floor(ms / DAY)}d`
}
