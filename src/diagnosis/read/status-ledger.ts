/** Reads for `svc status` from Stellar RPC. It asks each endpoint by itself: a pool would hide which of them fails. */

import { fundsOf, minimumBalance, spendableOf } from '../../payments/channels/minimum-balance.ts'
import { sponsorsOf } from '../../payments/channels/sponsor-keys.ts'
import { decimalXlm } from '../../platform/core/amounts/stroops.ts'
import { systemClock } from '../../platform/core/time/clock.ts'
import type { AdminNetwork } from '../../settings/admin.ts'
import { UPTO_CODE_HASH } from '../../stellar/contracts/upto-code-hash.ts'
import type { AccountState, StellarRpc } from '../../stellar/rpc/rpc.ts'
import { rpcOf } from '../facts/derive.ts'
import type { Endpoint, UptoLedgerFacts } from '../facts/doctor-facts.ts'
import { usable } from '../facts/endpoints.ts'
import { balanceOf } from '../facts/facts.ts'
import { type Fetched, fetchWithin } from '../facts/fetched.ts'
import { findingsOf, noPatience, sentenceOf } from '../problems/problem.ts'
import { noEndpointAnswers, wrongNetwork } from '../problems/rpc.ts'
import { sponsorMissing } from '../problems/sponsor.ts'
import { bestOf } from './gather.ts'
import { clientsOf, readEndpoints } from './read-network.ts'
import { readUpto } from './read-upto.ts'

interface LedgerFacts {
  readonly ledger: number
  readonly channels: number
  readonly balanceXlm: string | null
  /** XLM that may be withdrawn from the sponsor: it keeps enough to merge its channels and its authority. */
  readonly movableXlm: string | null
  /** Null where the scheme `upto` is not served, and when it could not be read. */
  readonly upto: UptoStatus | null
}

/** The scheme `upto` on the ledger. */
export interface UptoStatus {
  /** The settlement authority. */
  readonly authority: string
  readonly authorityOnLedger: boolean
  /** The sum that it can spend; null when it is not on the ledger. */
  readonly authoritySpendableXlm: string | null
  readonly contractOnLedger: boolean
  /** Whether it runs the code that this version knows. */
  readonly hasKnownCode: boolean
  /** Ledgers; negative once archived, null when it is not there. */
  readonly instanceTtlLedgers: number | null
  readonly codeTtlLedgers: number | null
}

interface LedgerReport {
  /** The parts that could be read. */
  readonly facts?: LedgerFacts
  readonly problems: readonly string[]
  /** Endpoints that failed while another one answered. */
  readonly hint?: string | undefined
}

/** The newest ledger, and the endpoint that has it. */
interface FoundEndpoint {
  readonly ledger: number
  readonly rpc: StellarRpc
  readonly hint: string | undefined
}

/** Asks all endpoints at once. Without a usable one, the sentence that says why of each. */
export async function findEndpoint(
  network: AdminNetwork,
  timeoutMs: number,
): Promise<Fetched<FoundEndpoint>> {
  const limits = { clock: systemClock, timeoutMs }
  const clients = clientsOf(network, limits)
  const endpoints = await readEndpoints(clients, limits)
  const best = bestOf(endpoints, network.id)
  const failed = failures(endpoints, network)
  const rpc = clients.find(({ name }) => name === best?.name)?.client
  if (!best || !rpc) {
    const { id } = network
    const [finding] = [
      ...findingsOf(noEndpointAnswers.find({ id, rpc: rpcOf(endpoints, id) }, noPatience)),
      ...findingsOf(wrongNetwork.findIn(endpoints, { id })),
    ]
    return { ok: false, why: finding ? sentenceOf(finding) : failed }
  }
  const hint = failed === '' ? undefined : `not used: ${failed}`
  return { ok: true, value: { ledger: best.ledger, rpc, hint } }
}

const failures = (endpoints: readonly Endpoint[], network: AdminNetwork): string => {
  const good = new Set(usable(endpoints, network.id).map(({ name }) => name))
  return endpoints
    .filter(({ name }) => !good.has(name))
    .map(({ name, answer }) =>
      answer.ok ? `${name} serves "${answer.value.passphrase}"` : `${name}: ${answer.why}`,
    )
    .join('; ')
}

interface AccountsRequest {
  readonly network: AdminNetwork
  readonly sponsor: string
  /** Channels 0 to count - 1 are looked for. */
  readonly count: number
  readonly timeoutMs: number
}

/** Reads sponsor and channels from the endpoint that was found. */
export async function readAccounts(
  found: Fetched<FoundEndpoint>,
  { network, sponsor, count, timeoutMs }: AccountsRequest,
): Promise<LedgerReport> {
  if (!found.ok) return { problems: [found.why] }
  const { ledger, rpc, hint } = found.value
  const { keys } = sponsorsOf(network)
  const addresses = Array.from(
    { length: count },
    (_, index) => keys.channel(network.id, index).address,
  )
  const authority = keys.authority(network.id).address
  const limits = { clock: systemClock, timeoutMs }
  const contract = network.upto?.contract
  const [accounts, upto] = await Promise.all([
    fetchWithin(limits, (signal) => rpc.accounts([sponsor, authority, ...addresses], signal)),
    contract === undefined
      ? undefined
      : fetchWithin(limits, (signal) => readUpto(rpc, network, contract, signal)),
  ])
  if (!accounts.ok)
    return { problems: [`Stellar RPC did not return accounts: ${accounts.why}`], hint }
  const account = accounts.value.get(sponsor)
  const channels = addresses.filter((address) => accounts.value.has(address)).length
  const merges = channels + (accounts.value.has(authority) ? 1 : 0)
  const facts = {
    ledger,
    channels,
    ...balances(account, merges, network),
    upto: upto?.ok ? uptoStatus(upto.value) : null,
  }
  const problems = [
    ...findingsOf(
      sponsorMissing.find({ sponsor: { address: sponsor, balance: balanceOf(account) } }),
    ).map(sentenceOf),
    ...(upto && !upto.ok
      ? [`Stellar RPC did not return the settlement contract: ${upto.why}`]
      : []),
  ]
  return { facts, problems, hint }
}

function uptoStatus({ authority, account, entries }: UptoLedgerFacts): UptoStatus {
  const spendable = account && spendableOf(fundsOf(account))
  return {
    authority,
    authorityOnLedger: account !== undefined,
    authoritySpendableXlm:
      spendable === undefined ? null : decimalXlm(spendable > 0n ? spendable : 0n),
    contractOnLedger: entries.instance !== undefined,
    hasKnownCode: entries.wasmHash === UPTO_CODE_HASH,
    instanceTtlLedgers: entries.instance?.ttl ?? null,
    codeTtlLedgers: entries.code?.ttl ?? null,
  }
}

/** @param merges accounts that svc retire would merge */
function balances(
  account: AccountState | undefined,
  merges: number,
  { inclusionFee }: AdminNetwork,
): Pick<LedgerFacts, 'balanceXlm' | 'movableXlm'> {
  if (!account) return { balanceXlm: null, movableXlm: null }
  // Without the highest bid of svc retire for each of them, the reserves would stay locked.
  const movable =
    account.balance - minimumBalance(account) - BigInt(merges) * inclusionFee.capStroops
  return {
    balanceXlm: decimalXlm(account.balance),
    movableXlm: decimalXlm(movable > 0n ? movable : 0n),
  }
}
