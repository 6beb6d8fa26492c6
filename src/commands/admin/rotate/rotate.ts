import { modes, type RotationOptions, sweeps } from '../../../payments/channels/rotation/options.ts'
import { RotationRefusal } from '../../../payments/channels/rotation/refusals.ts'
import type { Rotated } from '../../../payments/channels/rotation/report.ts'
import {
  checkRotation,
  rotate as rotateSponsor,
} from '../../../payments/channels/rotation/rotate.ts'
import { readRotation } from '../../../payments/channels/rotation/view.ts'
import { decimalXlm, formatXlm } from '../../../platform/core/amounts/stroops.ts'
import { systemClock } from '../../../platform/core/time/clock.ts'
import {
  type OpenSponsors,
  openSponsors,
  type SponsorConfig,
} from '../../../service/networks/open-sponsor.ts'
import type { AdminConfig } from '../../../settings/admin.ts'
import { command } from '../../command-line/command.ts'
import { asksNote, notConfirmedExit, type Plan, yesFlag } from '../../command-line/confirm.ts'
import { choiceOr, type FlagValues, flag, text } from '../../command-line/flags.ts'
import type { Row } from '../../command-line/person-table.ts'
import { UsageError } from '../../command-line/usage-error.ts'
import {
  type AdminReport,
  type AdminTask,
  adminConfig,
  adminEnv,
  adminFlags,
  onEveryNetwork,
} from '../admin-command.ts'
import { rotationFacts, rotationPlan } from './plan.ts'
import { sponsorIn } from './sponsor-file.ts'

const flags = {
  ...adminFlags({ count: 'channels of the new sponsor; as many as the old one has unless given' }),
  to: text(
    'FILE',
    'file with the seed of the new sponsor, or with the settings of one whose key lies elsewhere',
  ),
  from: text('FILE', 'the same of the old sponsor; that of the environment unless given'),
  sweep: choiceOr(sweeps, 'merge', 'what happens to the XLM that is left in the old sponsor'),
  mode: choiceOr(modes, 'planned', 'emergency: the old seed may be stolen'),
  'dry-run': flag('show what it would do, and change nothing'),
  yes: yesFlag,
}
type Values = FlagValues<typeof flags>

interface RotateConfig extends AdminConfig {
  readonly to: SponsorConfig
  readonly from: SponsorConfig | undefined
}

export const rotate = command({
  name: 'rotate',
  summary: 'replaces the sponsor by another one while the service goes on',
  usage: [
    'svc rotate --to FILE [--network ID] [--from FILE] [--sweep merge|payment|none] [--dry-run] [--yes]',
    'svc rotate --to FILE --mode emergency [--network ID] [--from FILE] [--dry-run] [--yes]',
  ],
  flags,
  notes: [
    'Creates the channels of the new sponsor, waits until every replica serves it, waits for the',
    'settlements of the old one, merges its channels, and sends what is left to the new sponsor.',
    'While it waits you restart one replica after the other with the new seed. No payment fails.',
    'In an emergency it sends what the old sponsor can spend first, waits for no replica, and says',
    'what it could not save.',
    'May be stopped, killed and run again at any moment: it continues from there. To go back, run it',
    'with --from and --to exchanged. Needs Postgres. Prints a line of JSON.',
    ...asksNote,
  ],
  env: [
    ...adminEnv,
    ['INCLUSION_FEE_STROOPS', 'the bid for each operation'],
    ['INCLUSION_FEE_CAP_STROOPS', 'what the old sponsor keeps for each merge in an emergency'],
    ['MIN_SPONSOR_BALANCE_XLM', 'what the new sponsor must have left to spend'],
  ],
  exits: {
    0: 'the new sponsor has replaced the old one',
    1: 'refused or not done, and why',
    ...notConfirmedExit,
  },
  example: 'svc rotate --network stellar:testnet --to /run/secrets/new-sponsor --dry-run',
  config: (variables, given: Values): RotateConfig => {
    const config = adminConfig(variables, given)
    if (given.to === undefined) throw new UsageError('--to is missing: the file with the new seed')
    if (config.networks.length > 1) {
      const ids = config.networks.map(({ id }) => id).join(' or ')
      throw new UsageError(`--network is missing: one seed is for one network, ${ids}`)
    }
    return {
      ...config,
      to: sponsorIn(given.to, '--to'),
      from: given.from === undefined ? undefined : sponsorIn(given.from, '--from'),
    }
  },
  handlesStop: true,
  run: async (input) => {
    const { config, flags: given } = input
    const open = (sponsor: SponsorConfig) => openSponsors(sponsor, { clock: systemClock })
    await using to = open(config.to)
    await using from = config.from && open(config.from)
    const optionsOf = (task: AdminTask) => rotationOf(task, { given, from, to })
    const isDry = given['dry-run']
    const run = (task: AdminTask) =>
      isDry ? dryRun(optionsOf(task)) : rotateNetwork(optionsOf(task))
    const plan = (task: AdminTask) => planFor(optionsOf(task))
    const forPerson = isDry && process.stdout.isTTY === true
    const whole = isDry ? {} : { plan, goesOn: true }
    return await onEveryNetwork({ name: 'rotate', forPerson, run, ...whole }, input)
  },
})

/** The old sponsor where a file names it, and the new one. */
interface Ends {
  readonly given: Values
  readonly from: OpenSponsors | undefined
  readonly to: OpenSponsors
}

function rotationOf(
  { network, sponsors, store, rpc, signal }: AdminTask,
  { given, from, to }: Ends,
): RotationOptions {
  if (!store) {
    throw new RotationRefusal(
      'with STORE=memory only the service knows its channels: rotate by hand, as the operations page says',
    )
  }
  return {
    network: network.id,
    from: from?.keys ?? sponsors.keys,
    to: to.keys,
    count: given.count,
    leastCount: network.channelCount,
    servesUpto: network.upto !== undefined,
    mode: given.mode,
    sweep: given.sweep,
    inclusionFee: network.inclusionFee.floorStroops,
    inclusionFeeCap: network.inclusionFee.capStroops,
    keepSpendable: network.minSponsorBalance,
    rpc,
    store,
    clock: systemClock,
    signal,
    say: (sentence) => process.stderr.write(`svc rotate: ${network.id}: ${sentence}\n`),
  }
}

/** Reads the plan without a change, also none of the schema. Throws `RotationRefusal` when it cannot be carried out. */
async function viewOf(options: RotationOptions) {
  const pending = await options.store.pendingMigrations()
  if (pending.length > 0) {
    throw new RotationRefusal(`the schema lacks ${pending.join(', ')}: run svc migrate first`)
  }
  const view = await readRotation(options)
  await checkRotation(options, view)
  return view
}

const planFor = async (options: RotationOptions): Promise<Plan | undefined> =>
  rotationPlan(await viewOf(options), options)

async function dryRun(options: RotationOptions): Promise<AdminReport> {
  const view = await viewOf(options)
  const rows: readonly Row[] = rotationPlan(view, options) ?? [['rotation', 'is done']]
  return { facts: { dryRun: true, ...rotationFacts(view, options) }, rows, problems: [] }
}

async function rotateNetwork(options: RotationOptions): Promise<AdminReport> {
  await viewOf(options)
  const done = await rotateSponsor(options)
  const isEmergency = options.mode === 'emergency'
  const facts = {
    from: done.from,
    to: done.to,
    mode: options.mode,
    created: done.created,
    merged: done.merged,
    gone: done.gone,
    sweptXlm: decimalXlm(done.swept),
    feesXlm: decimalXlm(done.fees),
    leftXlm: done.left === undefined ? null : decimalXlm(done.left),
    ...(isEmergency && {
      receivedXlm: done.received === undefined ? null : decimalXlm(done.received),
      lostXlm: decimalXlm(done.lost),
    }),
    keptAuthority: done.keptAuthority ?? null,
  }
  return { facts, problems: [], hint: hintFor(done, isEmergency) }
}

function hintFor(done: Rotated, isEmergency: boolean): string | undefined {
  const sentences = [
    ...(done.notMerged === undefined
      ? []
      : [`the account of the old sponsor stays, since ${done.notMerged}`]),
    ...(done.keptAuthority === undefined
      ? []
      : [
          `the authority ${done.keptAuthority} stays for what buyers signed for it: keep the old seed as PREVIOUS_SPONSOR_SECRET until that is over`,
        ]),
    ...(isEmergency && done.gone > 0
      ? [
          `${done.gone} accounts of the old sponsor were merged by an earlier run or by whoever has the old seed`,
        ]
      : []),
    ...(isEmergency && done.lost > 0n
      ? [
          `${formatXlm(done.lost)} left the old sponsor through nothing of this service: they are lost`,
        ]
      : []),
  ]
  return sentences.length > 0 ? sentences.join('; ') : undefined
}
