import type { FlagValues } from '../../command-line/flags.ts'
import { text } from '../../command-line/flags.ts'
import { UsageError } from '../../command-line/usage-error.ts'
import { readRunningDemo } from '../../development/running-demo.ts'

/** Flags that choose the catalog. */
export const catalogFlags = {
  facilitator: text('URL', 'of a facilitator or catalog; by default that of the running demo'),
  catalog: text('URL', 'the same'),
  dir: text('DIR', 'the folder of the running demo; by default that of this installation'),
}

export const facilitatorVariable = [
  'FACILITATOR_URL',
  'the same as --facilitator, where that is left out',
] as const

/** Throws UsageError. */
export function catalogFlagOf(
  { facilitator, catalog }: FlagValues<Pick<typeof catalogFlags, 'facilitator' | 'catalog'>>,
  variables: Readonly<Record<string, string | undefined>>,
): string | undefined {
  if (facilitator !== undefined && catalog !== undefined) {
    throw new UsageError('--facilitator and --catalog are the same flag: give one of them')
  }
  const given = facilitator ?? catalog ?? (variables['FACILITATOR_URL'] || undefined)
  if (given === undefined || /^https?:$/.test(URL.parse(given)?.protocol ?? '')) return given
  throw new UsageError(`the URL of a facilitator starts with https:// or http://, so not ${given}`)
}

/** Undefined when nothing names one and no demo runs. */
export const catalogUrl = async (
  given: string | undefined,
  dir: string | undefined,
): Promise<string | undefined> => given ?? (await readRunningDemo(dir))?.facilitatorUrl
