/**
 * The first ledger: network settings, the root account, friendbot, the USDC issuer, the asset contracts of XLM and
 * USDC, and the settlement contract of the scheme `upto`. Root and friendbot each hold half of all coins.
 */
import { Keypair } from '@stellar/stellar-sdk'
import { closedLedger } from '../closing/close-ledger.ts'
import { newAccount } from '../ledger/account.ts'
import { type AccountId, accountIdFromAddress, accountIdFromRaw } from '../ledger/account-id.ts'
import { entryKey } from '../ledger/entry-record.ts'
import type { EntryStore } from '../ledger/entry-store.ts'
import { closeHeader, genesisParent, StateHash, sha256, TOTAL_COINS } from '../ledger/header.ts'
import { LedgerTxn } from '../ledger/ledger-txn.ts'
import { BASE_RESERVE } from '../ledger/reserves.ts'
import { storeAccount } from '../ledger/typed-entries.ts'
import { rootId } from '../root-account.ts'
import type { NetworkSnapshot } from '../snapshot/snapshot.ts'
import type { SorobanHost } from '../soroban/host.ts'
import { BASE_FEE } from '../transactions/fees/fees.ts'
import type { HostLedgerReader } from '../transactions/soroban/soroban-context.ts'
import { type ConfigSetting, configSettings } from './config-settings.ts'
import { USDC_ISSUER } from './genesis-assets.ts'
import { deployAssetContracts, deployUpto } from './genesis-contracts.ts'
import type { EntryTtls, NetworkLimits } from './network-limits.ts'

const FIRST_LEDGER = 1
const FRIENDBOT_BALANCE = TOTAL_COINS / 2n
/** Covers the minimum balance and a few subentries. */
const ISSUER_BALANCE = 10n * 10_000_000n

/** Source of the faucet's transactions. Anyone may use root, so a faucet with root could meet a used sequence number. */
export const friendbotId = (networkId: Uint8Array): AccountId =>
  accountIdFromRaw(
    Keypair.fromRawEd25519Seed(
      Buffer.from(sha256(networkId, Buffer.from('friendbot'))),
    ).rawPublicKey(),
  )

export const issuerId: AccountId = accountIdFromAddress(USDC_ISSUER)

interface GenesisOptions {
  readonly passphrase: string
  readonly networkId: Uint8Array
  /** Unix seconds. */
  readonly closeTime: number
  readonly limits: NetworkLimits
  readonly entryTtls?: EntryTtls | undefined
  readonly ledgerMaxTxCount?: number | undefined
  /** Operations of classic transactions in one ledger. */
  readonly maxOperations: number
  /** Whether the ledger has the settlement contract of the scheme `upto`. */
  readonly upto: boolean
}

interface GenesisDeps {
  readonly store: EntryStore
  readonly host: SorobanHost
  /** From which the host reads. */
  readonly hostLedger: HostLedgerReader
}

/** Replaces all entries of the store. */
export function writeGenesis(
  { store, host, hostLedger }: GenesisDeps,
  options: GenesisOptions,
): NetworkSnapshot {
  const { passphrase, networkId, closeTime, limits, maxOperations } = options
  const { entryTtls = {}, ledgerMaxTxCount } = options
  store.replaceAll([])
  // The host needs the settings in place before it can deploy anything.
  const settings = configSettings({
    costParams: host.costParams(),
    limits,
    entryTtls,
    ...(ledgerMaxTxCount !== undefined && { ledgerMaxTxCount }),
  })
  writeSettings(store, settings)
  const ltx = new LedgerTxn(store)
  writeAccounts(ltx, networkId)
  const ledger = {
    sequence: FIRST_LEDGER,
    closeTime,
    networkId,
    baseReserve: Number(BASE_RESERVE),
  }
  hostLedger.within(ltx, () => {
    deployAssetContracts(ltx, { host, ledger, deployer: issuerId })
    if (options.upto) deployUpto(ltx, { host, ledger, deployer: rootId(networkId) })
  })
  const stateHash = new StateHash(genesisParent.stateHash)
  for (const change of ltx.changes()) stateHash.add(change)
  ltx.commit()
  const { protocol } = host
  const first = firstLedger({ protocol, closeTime, stateHash: stateHash.digest(), maxOperations })
  return { passphrase, protocol, limits, entries: store.entries(), ...first }
}

interface FirstLedger extends Pick<GenesisOptions, 'closeTime' | 'maxOperations'> {
  readonly protocol: number
  /** The hash of the entries at genesis; they do not depend on the time. */
  readonly stateHash: Uint8Array
}

/** The state and the history at genesis. */
export function firstLedger({
  protocol,
  closeTime,
  stateHash,
  maxOperations,
}: FirstLedger): Pick<NetworkSnapshot, 'state' | 'ledgers'> {
  const header = closeHeader({
    previous: genesisParent,
    sequence: FIRST_LEDGER,
    protocol,
    closeTime,
    feePool: 0n,
    transactionSetHash: new Uint8Array(32),
    resultSetHash: new Uint8Array(32),
    stateHash,
    maxOperations,
  })
  const fees = { classic: [], soroban: [] }
  const baseFees = { classic: BASE_FEE, soroban: BASE_FEE }
  const first = closedLedger(header, { transactions: [], fees, baseFees, evictedKeys: [] })
  return { state: header.state, ledgers: [first] }
}

function writeSettings(store: EntryStore, settings: readonly ConfigSetting[]): void {
  for (const { key, entry } of settings) store.write(entryKey(key), { entry })
}

function writeAccounts(ltx: LedgerTxn, networkId: Uint8Array): void {
  const balances: readonly (readonly [AccountId, bigint])[] = [
    [rootId(networkId), TOTAL_COINS - FRIENDBOT_BALANCE - ISSUER_BALANCE],
    [friendbotId(networkId), FRIENDBOT_BALANCE],
    [issuerId, ISSUER_BALANCE],
  ]
  for (const [id, balance] of balances) {
    storeAccount(ltx, newAccount({ id, balance, sequence: 0n }), FIRST_LEDGER)
  }
}
