/**
 * Speed of the embedded network, compared with its targets. Part of `make bench`, and alone:
 *
 *   node tools/bench/localnet.ts [start | embedded | simulate | ledger | memory]...
 */
import { pathToFileURL } from 'node:url'
import { measureEmbedded } from './localnet/embedded.ts'
import { measureLedger } from './localnet/ledger.ts'
import type { Measure } from './localnet/measure.ts'
import { measureMemory } from './localnet/memory.ts'
import { measureSimulate } from './localnet/simulate.ts'
import { measureStart } from './localnet/start.ts'
import { markdown } from './tables.ts'

type Progress = (line: string) => void

/** In this order: `memory` fills the process, and so comes last. */
const parts: Readonly<Record<string, (progress: Progress) => Promise<Measure[]>>> = {
  start: measureStart,
  embedded: measureEmbedded,
  simulate: measureSimulate,
  ledger: measureLedger,
  memory: measureMemory,
}

/** A table of the given parts, or of all. */
export async function localnetTable(
  progress: Progress,
  names: readonly string[] = Object.keys(parts),
): Promise<string> {
  const measures: Measure[] = []
  for (const [name, measure] of Object.entries(parts)) {
    if (!names.includes(name)) continue
    progress(`the embedded network: ${name}`)
    measures.push(...(await measure(progress)))
  }
  return markdown(
    ['the embedded network', 'target', 'figure', 'met'],
    measures.map(({ what, target, figure, met }) => [what, target, figure, met ? 'yes' : 'no']),
  )
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const names = process.argv.slice(2)
  const progress = (line: string) => process.stderr.write(`${line}\n`)
  const table = await localnetTable(progress, names.length > 0 ? names : undefined)
  process.stdout.write(`## The embedded network\n\n${table}\n`)
}
