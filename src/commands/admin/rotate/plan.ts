/** Describes what `svc rotate` is about to do, for a person and for a program. */
import { CHANNEL_RESERVE } from '../../../payments/channels/create/affordable-channels.ts'
import { unlockedBalance } from '../../../payments/channels/minimum-balance.ts'
import { lacks, usableOf, whyNotMerged } from '../../../payments/channels/rotation/facts.ts'
import type { RotationOptions } from '../../../payments/channels/rotation/options.ts'
import type { RotationView } from '../../../payments/channels/rotation/view.ts'
import { decimalXlm, formatXlm } from '../../../platform/core/amounts/stroops.ts'
import { variablePrefixes } from '../../../platform/core/caip2.ts'
import type { Plan } from '../../command-line/confirm.ts'

/** One for each channel, and as many again for the transactions with the authority, the mark and the sweep. */
const OTHER_OPERATIONS = 12n
const CREATE_OPERATIONS = 3n

/** The remaining work in numbers; amounts are decimals of XLM. */
export function rotationFacts(view: RotationView, options: RotationOptions) {
  const { from, to, wanted } = view
  const usable = usableOf(view)
  const authority = options.servesUpto && !to.authority.isOnLedger ? 1 : 0
  const create = lacks(view, options.servesUpto) ? wanted - usable + authority : 0
  const merge = from.onLedger.size
  return {
    from: from.address,
    to: to.address,
    mode: options.mode,
    sweep: options.sweep,
    fromBalanceXlm: from.account ? decimalXlm(from.account.balance) : null,
    toBalanceXlm: to.account ? decimalXlm(to.account.balance) : null,
    create,
    locksXlm: decimalXlm(BigInt(create) * CHANNEL_RESERVE),
    stillServedBy: from.servedBy,
    merge,
    returnsXlm: decimalXlm(BigInt(merge) * CHANNEL_RESERVE),
    leftBehind: options.sweep === 'merge' ? (whyStays(view) ?? null) : null,
    maxFeesXlm: decimalXlm(
      (CREATE_OPERATIONS * BigInt(create) + BigInt(merge) + OTHER_OPERATIONS) *
        options.inclusionFee,
    ),
  }
}

/** Reserves of its channels end before; other entries of the account do not. */
function whyStays({ from }: RotationView): string | undefined {
  const { account, mark } = from
  if (!account) return undefined
  const subentries = account.subentries - (mark === undefined ? 0 : 1)
  return subentries > 0
    ? whyNotMerged({ ...from, account: { ...account, sponsoring: 0 } })
    : undefined
}

/** Undefined when nothing is left to do. */
export function rotationPlan(view: RotationView, options: RotationOptions): Plan | undefined {
  const { from, to, wanted } = view
  const facts = rotationFacts(view, options)
  const isMerged = facts.merge === 0 && from.stored.every(({ state }) => state === 'retired')
  const spendable = from.account ? unlockedBalance(from.account) : 0n
  const isSwept = options.sweep === 'none' || spendable <= options.inclusionFee
  if (facts.create === 0 && isMerged && isSwept) return undefined
  const secret = `${variablePrefixes[options.network]}SPONSOR_SECRET`
  const authority = options.servesUpto
    ? options.mode === 'planned'
      ? `; the authority ${from.authority.address} stays, and the new sponsor pays its reserve`
      : ', the authority too'
    : ''
  return [
    ['old sponsor', `${from.address}, ${facts.fromBalanceXlm ?? 'no'} XLM`],
    ['new sponsor', `${to.address}, ${facts.toBalanceXlm ?? 'no'} XLM`],
    ...(options.mode === 'emergency'
      ? ([['first', 'what the old sponsor can spend goes to the new one']] as const)
      : []),
    [
      'create',
      `${facts.create} accounts, ${wanted} channels in all: locks ${facts.locksXlm} XLM of the new sponsor`,
    ],
    ['move', moveOf(view, options, secret)],
    [
      'merge',
      `${facts.merge} channels of the old sponsor: returns ${facts.returnsXlm} XLM${authority}`,
    ],
    ['then', sweepOf(view, options)],
    ['fees', `at most ${facts.maxFeesXlm} XLM`],
  ]
}

function moveOf({ from }: RotationView, { mode }: RotationOptions, secret: string): string {
  if (mode === 'emergency') {
    return 'waits for no replica: those with the old seed refuse payments until you restart them with the new one'
  }
  const serving = from.servedBy.length > 0 ? ` (now ${from.servedBy.join(', ')})` : ''
  return `waits until you have restarted every replica${serving} with the new seed in ${secret}, and one serves`
}

function sweepOf(view: RotationView, { sweep }: RotationOptions): string {
  const { from, to } = view
  if (sweep === 'none') return 'what is left in the old sponsor stays there'
  const all = formatXlm(from.account?.balance ?? 0n)
  const why = whyStays(view)
  if (sweep === 'merge' && why === undefined) {
    return `the old sponsor is merged into ${to.address}, which gets what is left of ${all}`
  }
  const because = why === undefined ? '' : `, whose account stays since ${why}`
  return `what is left of ${all} and not locked goes to ${to.address}; the rest stays in the old sponsor${because}`
}
