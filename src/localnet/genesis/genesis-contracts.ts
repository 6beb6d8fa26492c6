/** Puts the contracts of the first ledger in place, with the host that later runs them. */
import { xdr } from '@stellar/stellar-sdk'
import { type AccountId, publicKeyOf } from '../ledger/account-id.ts'
import { sha256 } from '../ledger/header.ts'
import type { LedgerTxn } from '../ledger/ledger-txn.ts'
import type { SorobanHost } from '../soroban/host.ts'
import type { LedgerContext } from '../soroban/ledger-context.ts'
import { writeFootprint } from '../transactions/soroban/footprint.ts'
import { usdc } from './genesis-assets.ts'
import { networkLimits } from './network-limits.ts'
import { uptoPreimage, uptoWasm } from './upto-contract.ts'

export interface Deployment {
  readonly host: SorobanHost
  readonly ledger: LedgerContext
  /** Source of the host functions. */
  readonly deployer: AccountId
}

/** The contracts of XLM and USDC. */
export function deployAssetContracts(ltx: LedgerTxn, deployment: Deployment): void {
  for (const asset of [xdr.Asset.assetTypeNative(), usdc.toXdrObject()]) {
    apply(
      ltx,
      deployment,
      createContract(
        xdr.ContractIdPreimage.contractIdPreimageFromAsset(asset),
        xdr.ContractExecutable.contractExecutableStellarAsset(),
      ),
    )
  }
}

/** The settlement contract of the scheme `upto`: its code and its instance. The root account has to deploy it. */
export function deployUpto(ltx: LedgerTxn, deployment: Deployment): void {
  const wasm = uptoWasm()
  apply(ltx, deployment, xdr.HostFunction.hostFunctionTypeUploadContractWasm(wasm))
  apply(
    ltx,
    deployment,
    createContract(
      uptoPreimage(deployment.ledger.networkId),
      xdr.ContractExecutable.contractExecutableWasm(sha256(wasm)),
    ),
  )
}

const createContract = (
  contractIdPreimage: xdr.ContractIdPreimage,
  executable: xdr.ContractExecutable,
): xdr.HostFunction =>
  xdr.HostFunction.hostFunctionTypeCreateContract(
    new xdr.CreateContractArgs({ contractIdPreimage, executable }),
  )

/** Entries that it writes get the longest TTL that a network allows: a development network without a keeper extends none. */
function apply(ltx: LedgerTxn, { host, ledger, deployer }: Deployment, call: xdr.HostFunction) {
  const hostFunction = call.toXdr()
  const source = publicKeyOf(deployer).toXdr()
  const seed = sha256(ledger.networkId)
  const simulated = host.simulate({ ledger, hostFunction, source, mode: 'record', seed })
  if (!simulated.result.ok || !simulated.transactionData) {
    throw new Error(
      `a contract of genesis cannot be deployed: ${simulatedFailure(simulated.result)}`,
    )
  }
  const data = xdr.SorobanTransactionData.fromXdr(simulated.transactionData)
  const output = host.invoke({
    ledger,
    hostFunction,
    resources: data.resources.toXdr(),
    source,
    auth: simulated.auth,
    seed,
    transactionSize: 0,
  })
  if (output.outcome !== 'success') {
    throw new Error(`a contract of genesis was not deployed: ${output.outcome}`)
  }
  const maxLiveUntil = ledger.sequence + networkLimits.testnet.stateArchival.maxEntryTtl - 1
  const changes = output.changes.map((change) =>
    change.newLiveUntil === 0 ? change : { ...change, newLiveUntil: maxLiveUntil },
  )
  writeFootprint(ltx, changes, ledger.sequence)
}

const simulatedFailure = (result: ReturnType<SorobanHost['simulate']>['result']): string =>
  result.ok ? 'no footprint' : result.failure.text
