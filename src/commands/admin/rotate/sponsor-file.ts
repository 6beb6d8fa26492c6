import { readFileSync } from 'node:fs'
import type { SponsorConfig } from '../../../service/networks/open-sponsor.ts'
import { Environment } from '../../../settings/parser/environment.ts'
import { parseSettings } from '../../../settings/parser/settings.ts'
import { membersOf } from '../../../settings/rows/row.ts'
import { secretSeed } from '../../../settings/sections/addresses.ts'
import {
  otherSponsorSettings,
  sponsorProblems,
  sponsorSettings,
} from '../../../settings/sections/sponsor-settings.ts'
import { UsageError } from '../../command-line/usage-error.ts'

/** In any line: others may be comments. */
const A_SETTING = /^\s*[A-Z_]+=/m

/**
 * The sponsor that a file names: its seed alone, or the settings of a sponsor whose key lies elsewhere, `SPONSOR_SIGNER=...` and so on, one in
 * a line. The same rules and sentences as for variables. Throws `UsageError`.
 */
export function sponsorIn(path: string, flag: string): SponsorConfig {
  const environment = new Environment({ SPONSOR_FILE: path }, (file) => readFileSync(file, 'utf8'))
  const { value, problem } = environment.read('SPONSOR', { secret: true })
  if (value === undefined) throw new UsageError(`${flag} ${problem ?? 'is an empty path'}`)
  if (A_SETTING.test(value)) return sponsorOf(value, flag)
  const parsed = secretSeed.schema.safeParse(value)
  if (parsed.success) return sponsorOf(`SPONSOR_SECRET=${parsed.data}`, flag)
  throw new UsageError(`${flag}: the file ${parsed.error.issues[0]?.message ?? 'has no seed'}`)
}

function sponsorOf(text: string, flag: string): SponsorConfig {
  const lines = text.split('\n').map((line) => line.trim())
  const pairs = lines
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line): [string, string] => {
      const at = line.indexOf('=')
      return at < 0 ? [line, ''] : [line.slice(0, at), line.slice(at + 1)]
    })
  const known = Object.keys(sponsorSettings).flatMap((name) => [name, `${name}_FILE`])
  const unknown = pairs.find(([name]) => !known.includes(name))
  if (unknown) throw new UsageError(`${flag}: the file has a line that is no setting of a sponsor`)
  const environment = new Environment(Object.fromEntries(pairs))
  const read = parseSettings(allSponsors, (name, options) => environment.read(name, options))
  const [problem] = [...read.problems, ...sponsorProblems(read)]
  if (problem) throw new UsageError(`${flag}: in the file ${problem.variable} ${problem.message}`)
  return membersOf(sponsorSettings, { ...sponsorDefaults, ...read.settings })
}

/** The file names one sponsor; the rules know of three. */
const allSponsors = { ...sponsorSettings, ...otherSponsorSettings }

const sponsorDefaults = {
  SPONSOR_SECRET: undefined,
  SPONSOR_SIGNER: undefined,
  SPONSOR_ADDRESS: undefined,
  CHANNEL_SECRET: undefined,
  SIGNER_TIMEOUT_MS: sponsorSettings.SIGNER_TIMEOUT_MS.fieldDefault,
}
