/** A facilitator whose keeper runs, on a network whose settlement contract a test can age. */
import { sql } from 'kysely'
import { uptoContract } from '../../../../src/localnet/genesis/upto-contract.ts'
import { readKeeperState } from '../../../../src/payments/store/upto/keeper-state.ts'
import { passphrases } from '../../../../src/platform/core/caip2.ts'
import type { Store } from '../../../../src/platform/database/open.ts'
import type { NetworkConfig } from '../../../../src/settings/sections/network-settings.ts'
import { readContractEntries } from '../../../../src/stellar/contracts/contract-entries.ts'
import type { StellarRpc } from '../../../../src/stellar/rpc/rpc.ts'
import { rpcClient } from '../../../../src/stellar/rpc/rpc-client.ts'
import { archive, setTtl, ttlOf } from '../../../support/ledger-surgery.ts'
import { type Stack, type StackOptions, startStack } from '../../../support/stack.ts'

export const network = 'stellar:testnet'
export const contract = uptoContract(passphrases[network])

/** Above what a restored entry gets, so that an extension follows a restoration. */
export const FLOOR = 130_000
export const TARGET = 200_000

export interface KeeperWorld extends AsyncDisposable {
  readonly stack: Stack
  readonly rpc: StellarRpc
  /** Ledgers that instance and code have left. */
  ttls(): { readonly instance: number; readonly code: number }
  /** Gives both entries, or one, so many ledgers. */
  age(ledgers: number, entry?: 'instance' | 'code'): void
  archive(entry?: 'instance' | 'code'): void
  state(): ReturnType<typeof readKeeperState>
  /** Its transactions in order: `extend succeeded`. */
  work(): Promise<readonly string[]>
  /** Fees of the sponsor that the hourly budget counts. */
  fees(): Promise<bigint>
}

export async function openKeeperWorld({
  keeper = {},
  network: changes = {},
  ...options
}: Omit<StackOptions, 'network'> & {
  readonly keeper?: Partial<NonNullable<NetworkConfig['upto']>['keeper']>
  readonly network?: Partial<NetworkConfig>
} = {}): Promise<KeeperWorld> {
  const stack = await startStack({
    closeEveryMs: 'on-send',
    ...options,
    timings: { keeperMs: 100, ...options.timings },
    network: {
      upto: {
        contract,
        keeper: {
          enabled: true,
          autoRestore: true,
          floorLedgers: FLOOR,
          targetLedgers: TARGET,
          ...keeper,
        },
      },
      ...changes,
    },
  })
  const { localnet, store } = stack
  const rpc = rpcClient({ url: localnet.httpUrl, allowHttp: true })
  const found = await readContractEntries(rpc, contract)
  const keys = {
    instance: Buffer.from(found.instance?.key ?? '', 'base64'),
    code: Buffer.from(found.code?.key ?? '', 'base64'),
  }
  const chosen = (entry?: 'instance' | 'code') =>
    entry ? [keys[entry]] : [keys.instance, keys.code]
  const { address: sponsor } = stack.sponsor
  return {
    stack,
    rpc,
    ttls: () => ({
      instance: ttlOf(localnet.network, keys.instance),
      code: ttlOf(localnet.network, keys.code),
    }),
    age: (ledgers, entry) => {
      for (const key of chosen(entry)) setTtl(localnet.network, key, ledgers)
    },
    archive: (entry) => {
      for (const key of chosen(entry)) archive(localnet.network, key)
    },
    state: () => readKeeperState(store.db, network, contract),
    work: async () => {
      const rows = await store.db
        .selectFrom('upto_keeper_transactions')
        .select(['action', 'state'])
        .orderBy('id')
        .execute()
      return rows.map(({ action, state }) => `${action} ${state}`)
    },
    fees: () => feesOf(store, sponsor),
    [Symbol.asyncDispose]: () => stack[Symbol.asyncDispose](),
  }
}

async function feesOf({ db }: Store, sponsor: string): Promise<bigint> {
  const { rows } = await sql<{ fees: string }>`
    select fees_of_last_hour(${network}, ${sponsor}, '') as fees`.execute(db)
  return BigInt(rows[0]?.fees ?? -1n)
}
