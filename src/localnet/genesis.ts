/**
 * The first ledger: network settings, the root account with all the coins, a friendbot with a fund
 * of its own, the USDC issuer, and the asset contracts of both assets.
 */
import { Keypair, xdr } from '@stellar/stellar-sdk'
import { type ConfigSetting, configSettings } from './config-settings.ts'
import { USDC_ISSUER, usdc } from './genesis-assets.ts'
import { newAccount } from './ledger/account.ts'
import {
  type AccountId,
  accountIdFromAddress,
  accountIdFromRaw,
  publicKeyOf,
} from './ledger/account-id.ts'
import { type EntryStore, entryKey, LedgerTxn } from './ledger/entry-store.ts'
import {
  type ClosedHeader,
  closeHeader,
  genesisParent,
  StateHash,
  sha256,
  TOTAL_COINS,
} from './ledger/header.ts'
import { BASE_RESERVE } from './ledger/reserves.ts'
import { storeAccount } from './ledger/typed-entries.ts'
import { type Lifetimes, type NetworkLimits, networkLimits } from './network-limits.ts'
import type { SorobanHost } from './soroban/host.ts'
import type { LedgerContext } from './soroban/ledger-context.ts'
import { writeFootprint } from './transactions/soroban-context.ts'

const FIRST_LEDGER = 1
/** Half of all coins: what faucets give away. */
const FRIENDBOT_FUND = TOTAL_COINS / 2n
/** Enough for the reserve and a few entries of the issuer's own. */
const ISSUER_FUND = 10n * 10_000_000n

/** The root account's seed is the network's id, as in stellar-core. */
export const rootKeypair = (networkId: Uint8Array): Keypair =>
  Keypair.fromRawEd25519Seed(Buffer.from(networkId))

/** Source of the faucet's transactions. Not root, which anyone may use, so that sequence numbers never clash. */
export const friendbotId = (networkId: Uint8Array): AccountId =>
  accountIdFromRaw(
    Keypair.fromRawEd25519Seed(
      Buffer.from(sha256(networkId, Buffer.from('friendbot'))),
    ).rawPublicKey(),
  )

export const issuerId: AccountId = accountIdFromAddress(USDC_ISSUER)

interface GenesisOptions {
  readonly networkId: Uint8Array
  /** Unix seconds. */
  readonly closeTime: number
  readonly limits: NetworkLimits
  readonly lifetimes?: Lifetimes | undefined
  /** Operations a ledger takes. */
  readonly maxOperations: number
}

/** Fills an empty store. The host must read from that store. */
export function writeGenesis(
  store: EntryStore,
  host: SorobanHost,
  { networkId, closeTime, limits, lifetimes = {}, maxOperations }: GenesisOptions,
): ClosedHeader {
  // The host needs the settings in place before it can deploy anything.
  writeSettings(store, configSettings({ costParams: host.costParams(), limits, lifetimes }))
  const ltx = new LedgerTxn(store)
  writeAccounts(ltx, networkId)
  const ledger = {
    sequence: FIRST_LEDGER,
    closeTime,
    networkId,
    baseReserve: Number(BASE_RESERVE),
  }
  for (const asset of [xdr.Asset.assetTypeNative(), usdc.toXdrObject()]) {
    deployAssetContract(ltx, { host, ledger, asset })
  }
  const stateHash = new StateHash(genesisParent.stateHash)
  for (const change of ltx.changes()) stateHash.add(change)
  ltx.commit()
  return closeHeader({
    previous: genesisParent,
    protocol: host.protocol,
    closeTime,
    feePool: 0n,
    transactionSetHash: new Uint8Array(32),
    resultSetHash: new Uint8Array(32),
    stateHash: stateHash.digest(),
    maxOperations,
  })
}

function writeSettings(store: EntryStore, settings: readonly ConfigSetting[]): void {
  for (const { key, entry } of settings) store.write(entryKey(key), { entry })
}

function writeAccounts(ltx: LedgerTxn, networkId: Uint8Array): void {
  const funds: readonly (readonly [AccountId, bigint])[] = [
    [
      accountIdFromRaw(rootKeypair(networkId).rawPublicKey()),
      TOTAL_COINS - FRIENDBOT_FUND - ISSUER_FUND,
    ],
    [friendbotId(networkId), FRIENDBOT_FUND],
    [issuerId, ISSUER_FUND],
  ]
  for (const [id, balance] of funds) {
    storeAccount(ltx, newAccount({ id, balance, sequence: 0n }), FIRST_LEDGER)
  }
}

interface Deployment {
  readonly host: SorobanHost
  readonly ledger: LedgerContext
  readonly asset: xdr.Asset
}

function deployAssetContract(ltx: LedgerTxn, { host, ledger, asset }: Deployment): void {
  const hostFunction = xdr.HostFunction.hostFunctionTypeCreateContract(
    new xdr.CreateContractArgs({
      contractIdPreimage: xdr.ContractIdPreimage.contractIdPreimageFromAsset(asset),
      executable: xdr.ContractExecutable.contractExecutableStellarAsset(),
    }),
  ).toXdr()
  const source = publicKeyOf(issuerId).toXdr()
  const seed = sha256(ledger.networkId)
  const simulated = host.simulate({ ledger, hostFunction, source, mode: 'record', seed })
  if (!simulated.result.ok || !simulated.transactionData) {
    throw new Error(`an asset contract cannot be deployed: ${simulatedFailure(simulated.result)}`)
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
    throw new Error(`an asset contract was not deployed: ${output.outcome}`)
  }
  const longest = FIRST_LEDGER + networkLimits.testnet.stateArchival.maxEntryTtl - 1
  const changes = output.changes.map((change) =>
    change.newLiveUntil === 0 ? change : { ...change, newLiveUntil: longest },
  )
  writeFootprint(ltx, changes, ledger.sequence)
}

const simulatedFailure = (result: ReturnType<SorobanHost['simulate']>['result']): string =>
  result.ok ? 'no footprint' : result.failure.text
