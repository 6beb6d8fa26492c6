import type { DestinationStream } from 'pino'
import { printable } from '../../core/text/printable.ts'

/** A JSON log line as text for a terminal: time, level, message, then the other members by name. */
export function humanLine(line: string): string {
  const { time, level, msg, err, ...rest }: Record<string, unknown> = JSON.parse(line)
  const shown = Object.entries(rest).map(([name, value]) => `${name}=${plain(value)}`)
  const clock = String(time).slice('yyyy-mm-ddT'.length, -1)
  const head = [
    clock,
    String(level).toUpperCase().padEnd(5),
    printable(String(msg ?? '')),
    ...shown,
  ]
  return `${head.join(' ')}\n${stackOf(err)}`
}

/** Writes JSON lines as such text. */
export const humanLines = (output: { write(text: string): unknown }): DestinationStream => ({
  write: (line) => void output.write(humanLine(line)),
})

const plain = (value: unknown): string =>
  typeof value === 'string' && /^[\w.:/@+-]+$/.test(value) ? value : JSON.stringify(value)

function stackOf(err: unknown): string {
  if (typeof err !== 'object' || err === null || !('stack' in err)) return ''
  const lines = String(err.stack).split('\n')
  return lines.map((line) => `    ${printable(line)}\n`).join('')
}
