/**
 * `svc upto deploy`: uploads the code, then creates the contract. Each step looks at the ledger first, so a command that
 * was stopped or killed goes on from there when it is run again.
 */

import type { WorkQuote } from '../../../payments/upto-keeper/quote-work.ts'
import type { WorkDone } from '../../../payments/upto-keeper/send-work.ts'
import {
  asStroops,
  decimalXlm,
  formatXlm,
  type Stroops,
} from '../../../platform/core/amounts/stroops.ts'
import { passphrases, variablePrefixes } from '../../../platform/core/caip2.ts'
import {
  type ContractEntries,
  readCode,
  readContractEntries,
} from '../../../stellar/contracts/contract-entries.ts'
import { type ContractWork, newContractAddress } from '../../../stellar/contracts/contract-work.ts'
import type { Plan } from '../../command-line/confirm.ts'
import type { Row } from '../../command-line/person-table.ts'
import type { AdminReport, AdminTask } from '../admin-command.ts'
import { atContract, quote } from './contract-desk.ts'
import { saltOf, shippedContract } from './shipped-contract.ts'
import { untilOf } from './until.ts'

/** Undefined when the contract is there. */
export async function planDeploy(task: AdminTask): Promise<Plan | undefined> {
  const deployment = deploymentOf(task)
  const next = await nextStep(task, deployment)
  if (!next) return undefined
  const quoted = await quote(task, next)
  return [
    ['sponsor', deployment.deployer],
    ['contract', deployment.contract],
    ...stepsOf(quoted),
    ['fee', `at most ${formatXlm(maxFeeOf(quoted))}, paid by the sponsor`],
    ...otherContract(task, deployment.contract).map((note) => ['note', note] as const),
  ]
}

/**
 * A creation can be simulated only once its code is on the ledger. Until then this is its limit: about fifty times what
 * it costs at testnet's prices.
 */
const UNSEEN_CREATION = {
  feeLimit: asStroops(1_000_000n),
  whenDearer: 'run svc upto deploy again, which shows that fee first',
} as const

/** The cost of this step and of each step after it; empty when only the creation is left. */
const stepsOf = ({ work, maxFee }: WorkQuote): Plan =>
  work.kind === 'create'
    ? []
    : [
        [
          work.kind,
          `the code, ${shippedContract().wasm.length} bytes: at most ${formatXlm(maxFee)}`,
        ],
        ['create', `at most ${formatXlm(UNSEEN_CREATION.feeLimit)}, or it is not sent`],
      ]

/** The maximum fee of this step and all steps after it. */
const maxFeeOf = ({ work, maxFee }: WorkQuote): Stroops =>
  work.kind === 'create' ? maxFee : asStroops(maxFee + UNSEEN_CREATION.feeLimit)

export async function deploy(task: AdminTask, isDryRun: boolean): Promise<AdminReport> {
  const deployment = deploymentOf(task)
  const { contract } = deployment
  const read = () => readContractEntries(task.rpc, contract, task.signal)
  if (isDryRun) {
    const next = await nextStep(task, deployment)
    const quoted = next && (await quote(task, next))
    return report(task, { contract, done: [], entries: await read(), dryRun: { quoted } })
  }
  return atContract(task, { contract, action: 'create' }, async (desk) => {
    const done: WorkDone[] = []
    for (;;) {
      const next = await nextStep(task, deployment)
      if (!next) break
      done.push(
        await desk.send(await quote(task, next, done.length > 0 ? UNSEEN_CREATION : undefined)),
      )
    }
    return report(task, { contract, done, entries: await read() })
  })
}

interface Deployment {
  readonly contract: string
  readonly deployer: string
  readonly salt: Uint8Array
  readonly wasm: Uint8Array
  readonly wasmHash: string
}

function deploymentOf({ network, sponsors }: AdminTask): Deployment {
  const { wasm, hash: wasmHash } = shippedContract()
  const deployer = sponsors.keys.address
  const salt = saltOf(wasmHash)
  const contract = newContractAddress(passphrases[network.id], { deployer, salt })
  return { contract, deployer, salt, wasm, wasmHash }
}

/** Undefined when the contract is there, be it archived. */
async function nextStep(
  { rpc, signal }: AdminTask,
  { contract, deployer, salt, wasm, wasmHash }: Deployment,
): Promise<ContractWork | undefined> {
  const { instance } = await readContractEntries(rpc, contract, signal)
  if (instance) return undefined
  const code = await readCode(rpc, wasmHash, signal)
  if (!code) return { kind: 'upload', wasm }
  if (code.ttl < 0) return { kind: 'restore', keys: [code.key] }
  return { kind: 'create', deployer, salt, wasmHash }
}

interface DeployResult {
  readonly contract: string
  readonly done: readonly WorkDone[]
  readonly entries: ContractEntries
  readonly dryRun?: { readonly quoted: WorkQuote | undefined }
}

/** A warning, when the service settles through another contract so far. */
function otherContract({ network: { id, upto } }: AdminTask, contract: string): readonly string[] {
  if (!upto || upto.contract === contract) return []
  return [
    `${variablePrefixes[id]}UPTO_CONTRACT is ${upto.contract} now: once you change it, what buyers signed for that contract is refused`,
  ]
}

function report(task: AdminTask, { contract, done, entries, dryRun }: DeployResult): AdminReport {
  const setting = `${variablePrefixes[task.network.id]}UPTO_CONTRACT=${contract}`
  const existed = done.length === 0 && entries.instance !== undefined
  const { quoted } = dryRun ?? {}
  const facts = {
    contract,
    setting,
    ...(dryRun && { dryRun: true, next: quoted?.work.kind ?? null }),
    ...(dryRun && { maxFeeXlm: quoted ? decimalXlm(maxFeeOf(quoted)) : null }),
    created: done.some(({ action }) => action === 'create'),
    transactions: done.map(({ action, hash, ledger, feeCharged }) => ({
      action,
      transaction: hash,
      ledger,
      feeXlm: decimalXlm(feeCharged),
    })),
    instanceTtlLedgers: entries.instance?.ttl ?? null,
    codeTtlLedgers: entries.code?.ttl ?? null,
  }
  const rows: readonly Row[] = [
    ['contract', contract],
    ...(quoted
      ? [...stepsOf(quoted), ['fee', `at most ${formatXlm(maxFeeOf(quoted))}`] as Row]
      : []),
    ...done.map(
      ({ action, hash, ledger, feeCharged }): Row => [
        action,
        `${hash} in ledger ${ledger}, ${formatXlm(feeCharged)} charged`,
      ],
    ),
    ['instance', untilOf(entries.instance?.ttl)],
    ['code', untilOf(entries.code?.ttl)],
    [quoted ? 'set then' : 'set next', setting],
  ]
  const hints = [...(existed ? [hintOf(entries)] : []), ...otherContract(task, contract)]
  return { facts, rows, problems: [], hint: hints.length > 0 ? hints.join('; ') : undefined }
}

const hintOf = ({ instance, code }: ContractEntries): string =>
  (instance?.ttl ?? 0) < 0 || (code?.ttl ?? 0) < 0
    ? 'the contract was there before and is archived: set the variable, then run svc upto restore'
    : 'the contract was there before: nothing to do'
