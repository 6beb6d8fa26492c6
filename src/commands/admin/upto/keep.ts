/** `svc upto extend` and `svc upto restore`: what the keeper does, when an administrator wants it. */

import { KeeperFailure } from '../../../payments/upto-keeper/keeper-failure.ts'
import {
  boundsOf,
  type NamedEntry,
  namesOf,
  presentEntries,
} from '../../../payments/upto-keeper/plan-keeping.ts'
import type { WorkQuote } from '../../../payments/upto-keeper/quote-work.ts'
import type { WorkDone } from '../../../payments/upto-keeper/send-work.ts'
import { decimalXlm, formatXlm } from '../../../platform/core/amounts/stroops.ts'
import { variablePrefixes } from '../../../platform/core/caip2.ts'
import {
  type ContractEntries,
  readContractEntries,
} from '../../../stellar/contracts/contract-entries.ts'
import type { ContractWork } from '../../../stellar/contracts/contract-work.ts'
import type { Plan } from '../../command-line/confirm.ts'
import type { Row } from '../../command-line/person-table.ts'
import type { AdminReport, AdminTask } from '../admin-command.ts'
import { atContract, quote } from './contract-desk.ts'
import { untilOf } from './until.ts'

export type KeepAction = 'extend' | 'restore'

/** Undefined when there is nothing to do. */
export async function planKeep(task: AdminTask, action: KeepAction): Promise<Plan | undefined> {
  const { contract, quoted, what } = await quoteKeep(task, action)
  if (!quoted) return undefined
  return [
    ['contract', contract],
    [action, what],
    ['fee', `at most ${formatXlm(quoted.maxFee)}, paid by the sponsor`],
  ]
}

export async function keep(
  task: AdminTask,
  action: KeepAction,
  isDryRun: boolean,
): Promise<AdminReport> {
  const { contract } = uptoOf(task, action)
  if (isDryRun) {
    const { entries, quoted, what } = await quoteKeep(task, action)
    return report({ contract, action, entries, quoted, what, done: undefined, isDryRun })
  }
  return atContract(task, { contract, action }, async (desk) => {
    const { quoted, what } = await quoteKeep(task, action)
    const done = quoted && (await desk.send(quoted))
    const entries = await readContractEntries(task.rpc, contract, desk.signal)
    if (isAlive(entries)) await desk.allDone()
    return report({ contract, action, entries, quoted, what, done, isDryRun })
  })
}

interface KeepQuote {
  readonly contract: string
  readonly entries: ContractEntries
  /** Undefined when there is nothing to do. */
  readonly quoted: WorkQuote | undefined
  readonly what: string
}

async function quoteKeep(task: AdminTask, action: KeepAction): Promise<KeepQuote> {
  const upto = uptoOf(task, action)
  const { contract } = upto
  const { rpc, network, signal } = task
  const entries = await readContractEntries(rpc, contract, signal)
  const present = presentEntries({ network: network.id, contract, entries })
  if ('error' in present) throw new KeeperFailure(action, 'refused', present.error)
  const { target } = boundsOf(entries, upto.keeper)
  const { work, what } =
    action === 'restore' ? restoration(present) : extension(present, target, contract)
  return { contract, entries, what, quoted: work && (await quote(task, work)) }
}

interface Proposal {
  /** Undefined when there is nothing to do. */
  readonly work?: ContractWork
  readonly what: string
}

function restoration(present: readonly NamedEntry[]): Proposal {
  const archived = present.filter(({ ttl }) => ttl < 0)
  if (archived.length === 0) return { what: 'nothing is archived' }
  const keys = archived.map(({ key }) => key)
  return {
    what: `${namesOf(archived)}, which the network has archived`,
    work: { kind: 'restore', keys },
  }
}

/** One per cent: so that a repeated command costs nothing. */
const NEAR_TARGET_PERCENT = 99

function extension(present: readonly NamedEntry[], target: number, contract: string): Proposal {
  const archived = present.filter(({ ttl }) => ttl < 0)
  if (archived.length > 0) {
    const because = `the network has archived ${namesOf(archived)} of ${contract}: run svc upto restore first`
    throw new KeeperFailure('extend', 'refused', because)
  }
  const isNear = present.every(({ ttl }) => ttl * 100 >= target * NEAR_TARGET_PERCENT)
  const left = present.map(({ name, ttl }) => `${name} has ${ttl}`).join(', ')
  if (isNear) return { what: `${left} ledgers left, and the target is ${target}` }
  return {
    what: `instance and code to ${target} ledgers; ${left}`,
    work: { kind: 'extend', keys: present.map(({ key }) => key), toLedgers: target },
  }
}

/** Throws `KeeperFailure` without a contract in the configuration. */
function uptoOf({ network: { id, upto } }: AdminTask, action: KeepAction) {
  if (upto) return upto
  throw new KeeperFailure(action, 'refused', noContract(id))
}

export const noContract = (id: AdminTask['network']['id']): string =>
  `${variablePrefixes[id]}UPTO_CONTRACT is not set: svc upto deploy creates a contract and prints its address`

const isAlive = ({ instance, code }: ContractEntries) =>
  (instance?.ttl ?? -1) >= 0 && (code?.ttl ?? -1) >= 0

interface KeepResult extends KeepQuote {
  readonly action: KeepAction
  readonly done: WorkDone | undefined
  readonly isDryRun: boolean
}

function report({
  contract,
  action,
  entries,
  quoted,
  what,
  done,
  isDryRun,
}: KeepResult): AdminReport {
  const facts = {
    contract,
    action,
    ...(isDryRun && { dryRun: true }),
    maxFeeXlm: quoted ? decimalXlm(quoted.maxFee) : null,
    transaction: done?.hash ?? null,
    ledger: done?.ledger ?? null,
    feeXlm: done ? decimalXlm(done.feeCharged) : null,
    instanceTtlLedgers: entries.instance?.ttl ?? null,
    codeTtlLedgers: entries.code?.ttl ?? null,
  }
  const ttls: readonly Row[] = (['instance', 'code'] as const).map((name) => [
    name,
    untilOf(entries[name]?.ttl),
  ])
  const rows: readonly Row[] = [
    ['contract', contract],
    ...(quoted ? [[action, what] as Row] : []),
    ...(quoted && !done ? [['fee', `at most ${formatXlm(quoted.maxFee)}`] as Row] : []),
    ...(done
      ? ([
          ['transaction', `${done.hash} in ledger ${done.ledger}`],
          ['fee', `${formatXlm(done.feeCharged)} charged`],
        ] as Row[])
      : []),
    ...ttls,
  ]
  return { facts, rows, problems: [], hint: quoted ? undefined : `nothing to do: ${what}` }
}
