import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { ledgerReader } from '../../../../../src/demo/observe/ledger-reader.ts'
import { type Stack, startStack } from '../../../../support/stack.ts'
import { accountWithUsdc, reach } from '../../../../support/stock/stock-client.ts'
import type { Ran, Variables } from '../../admin-world.ts'
import { runHere } from '../../run-here.ts'
import { DEADLINE_MS } from '../../signalled-svc.ts'

export const PRICE = 100_000n

/** A buyer with 5 USDC who runs `svc pay`, over a real facilitator and a real network. */
export interface OnceWorld extends AsyncDisposable {
  readonly stack: Stack
  readonly payTo: string
  /** A folder for files of the tests. */
  readonly folder: string
  /** Begins a test: a new folder for the state of the commands, and no debits. */
  begin(): Promise<void>
  /** The budget file of the test. */
  file(): string
  env(): Variables
  args(url: string): readonly string[]
  pay(url: string, ...more: readonly string[]): Promise<Ran>
  /** How often the price has left the buyer since the test began. */
  debits(): Promise<bigint>
}

export async function onceWorld(): Promise<OnceWorld> {
  const stack = await startStack({ tls: true, closeEveryMs: 'on-send' })
  reach(stack.localnet)
  const buyer = await accountWithUsdc(stack.localnet, 5n)
  const payTo = (await accountWithUsdc(stack.localnet)).address
  const folder = mkdtempSync(join(tmpdir(), 'svc-pay-once-'))
  const ledger = ledgerReader(stack.localnet.httpUrl, stack.localnet.network.passphrase)
  const balance = () => ledger.usdc(buyer.address)
  let states = 0
  let state = ''
  let spentBefore = 0n
  const env = (): Variables => ({
    PATH: process.env['PATH'],
    BUYER_SECRET: buyer.secret,
    NODE_EXTRA_CA_CERTS: stack.localnet.caFile,
    XDG_STATE_HOME: state,
  })
  const args = (url: string) => ['pay', url, '--rpc', stack.localnet.rpcUrl, '--max', '0.01']
  return {
    stack,
    payTo,
    folder,
    env,
    args,
    begin: async () => {
      state = join(folder, String(states++))
      spentBefore = await balance()
    },
    file: () => join(state, 'svc', 'budget-testnet.sqlite'),
    pay: (url, ...more) => runHere(env(), ...args(url), '--json', ...more),
    debits: async () => (spentBefore - (await balance())) / PRICE,
    [Symbol.asyncDispose]: async () => {
      await stack[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export const until = (fact: () => unknown) =>
  expect.poll(fact, { timeout: DEADLINE_MS, interval: 20 }).toBe(true)
