/** How many rotations in a row a run plays, and what is done in each. Set by `tools/chaos/rotation.ts`. */
import { appendFileSync } from 'node:fs'
import { Deployer } from '../../../support/contracts.ts'
import { usual } from '../../chaos/support/pace.ts'
import { backIn, breakableLinks, operatorKilledIn } from './disturbances.ts'
import type { LoadWorld, LoadWorldOptions } from './load-world.ts'
import { replicasKilledIn, replicasKilledWhileBothServe } from './replica-kills.ts'
import type { PartCounts } from './rotation-load.ts'
import { noFault, type RotationFault, type RoundResult } from './rotation-round.ts'
import { UPTO_SECONDS, uptoAcrossTheMove } from './upto-payments.ts'

const links = breakableLinks()

/** One after the other, again and again. */
const faults: readonly RotationFault[] = [
  noFault,
  replicasKilledIn('Moving'),
  replicasKilledIn('Checking'),
  replicasKilledIn('Provisioning'),
  replicasKilledWhileBothServe,
  noFault,
  replicasKilledIn('Retiring'),
  replicasKilledIn('Sweeping'),
  replicasKilledIn('Done'),
  replicasKilledIn('Provisioning', 'Moving', 'Retiring', 'Done'),
  operatorKilledIn('Provisioning', 'Moving', 'Retiring', 'Sweeping'),
  links.rpcAwayIn('Provisioning'),
  links.storeAwayIn('Provisioning'),
  links.rpcAwayIn('Moving'),
  links.storeAwayIn('Moving'),
  links.rpcAwayIn('Retiring'),
  links.storeAwayIn('Retiring'),
  backIn('Provisioning'),
  backIn('Moving'),
]

/** What `make test` plays. */
const short: readonly RotationFault[] = [replicasKilledIn('Moving')]

const { ROTATION_ROUNDS, ROTATION_MINUTES, ROTATION_ROWS, ROTATION_SCHEME, ROTATION_ONLY } =
  process.env
const rounds = Number(ROTATION_ROUNDS ?? short.length)
const minutes = Number(ROTATION_MINUTES ?? 60)
const isUpto = ROTATION_SCHEME === 'upto'

/** Of the test. */
export const limitMs = (minutes + 20) * 60_000

/** With the scheme upto ledgers close as seldom as its time limit needs: the stock client assumes 5 s a ledger. */
export const worldOptions: LoadWorldOptions = isUpto
  ? {
      closeEveryMs: 2_500,
      // A transaction of the operator must reach such a ledger.
      operator: usual,
      network: async ({ localnet }) => ({
        upto: { contract: await new Deployer(localnet).upto() },
        timeouts: { min: '10s', max: `${UPTO_SECONDS}s` },
      }),
    }
  : { routes: links.routes }
export const maxTimeoutSeconds = isUpto ? UPTO_SECONDS : 900

/** The faults of the run, one for each rotation; ends early after the minutes of the run. */
export async function* plannedFaults(world: LoadWorld): AsyncGenerator<RotationFault> {
  const kind = ROTATION_ROUNDS === undefined ? short : isUpto ? await uptoFaults(world) : faults
  const all = kind.filter(({ name }) => new RegExp(ROTATION_ONLY ?? '').test(name))
  if (all.length === 0) throw new Error(`no disturbance has a name like ${ROTATION_ONLY}`)
  const lastStart = performance.now() + minutes * 60_000
  for (let round = 0; round < rounds && performance.now() < lastStart; round++) {
    const fault = all[round % all.length]
    if (fault) yield fault
  }
}

const uptoFaults = async (world: LoadWorld): Promise<readonly RotationFault[]> => [
  await uptoAcrossTheMove(world),
  await uptoAcrossTheMove(world, 'Introducing'),
  await uptoAcrossTheMove(world, 'Expiring'),
  await uptoAcrossTheMove(world, 'Unmounting'),
]

/** A line of the report. */
export interface RotationRow extends Omit<PartCounts, 'details'> {
  readonly round: number
  readonly fault: string
  readonly seconds: number
  readonly stroopsOff: string
  /** Counted when the load had ended, and each payment had its last answer. */
  readonly isFinal: boolean
}

/** Adds a line to the file of the run, if it has one. */
export function reportRow(
  round: number,
  { fault, period, stroopsOff }: RoundResult,
  { details, ...counts }: PartCounts,
  isFinal: boolean,
): void {
  const seconds = Math.round((period.to - period.from) / 1_000)
  const row = {
    round,
    fault: fault.name,
    seconds,
    stroopsOff: String(stroopsOff),
    isFinal,
    ...counts,
  }
  const line = JSON.stringify(row satisfies RotationRow)
  if (ROTATION_ROWS) appendFileSync(ROTATION_ROWS, `${line}\n`)
  const isGood = counts.lost + counts.doubled + counts.untrue + counts.channelless === 0
  if (isFinal && !isGood) process.stderr.write(`${line}\n${details.join('\n')}\n`)
}
