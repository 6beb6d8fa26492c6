import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AccountKey, readAccountKey } from '../../../../src/buying/signers/account-key.ts'
import { ledgerReader } from '../../../../src/demo/observe/ledger-reader.ts'
import { addressOf } from '../../../../src/stellar/accounts/strkey.ts'
import { Deployer } from '../../../support/contracts.ts'
import { delegated, external } from '../../../support/rule-account.ts'
import { type Stack, startStack } from '../../../support/stack.ts'
import { accountWithUsdc, reach } from '../../../support/stock/stock-client.ts'
import type { Ran } from '../../commands/admin-world.ts'
import { type OnceSeller, onceSeller } from '../../commands/buying/pay/once-seller.ts'
import { runHere } from '../../commands/run-here.ts'

/** Base units of USDC. */
export const PRICE = 100_000n
/** What the agents of accounts with context rules may spend a day: two calls. */
const LIMIT = 2n * PRICE

/** A key as a buyer has it: a seed, or PEM. */
interface KeyFile {
  readonly text: string
  readonly path: string
  readonly key: AccountKey
}

interface Payer extends KeyFile {
  /** `C...` */
  readonly account: string
  /** Of accounts with context rules, `C...`. */
  readonly policy?: string
}

export type Kind =
  | 'ed25519'
  | 'passkey'
  | 'rules, ed25519'
  | 'rules, passkey'
  | 'rules, delegated'
  /** The rule of the key has expired. */
  | 'rules, expired'
  /** Its policy is asked after the signature alone: it says nothing of its rules. */
  | 'policy'

export interface AccountWorld extends AsyncDisposable {
  readonly stack: Stack
  readonly deployer: Deployer
  readonly folder: string
  readonly payTo: string
  payer(kind: Kind): Promise<Payer>
  key(algorithm: AccountKey['algorithm']): KeyFile
  seller(terms?: { readonly maxTimeoutSeconds: number }): Promise<OnceSeller>
  balance(address: string): Promise<bigint>
  /** `svc pay`, with a budget file of the account. @param max @default 0.01 */
  pay(payer: Pick<Payer, 'account' | 'path'>, url: string, max?: string): Promise<Ran>
}

export async function accountWorld(): Promise<AccountWorld> {
  const stack = await startStack({ tls: true, upto: true, closeEveryMs: 'on-send' })
  const { localnet } = stack
  reach(localnet)
  const folder = mkdtempSync(join(tmpdir(), 'svc-accounts-'))
  const deployer = new Deployer(localnet)
  const payTo = (await accountWithUsdc(localnet)).address
  const verifier = await deployer.verifier()
  let files = 0

  const keyFile = (text: string): KeyFile => {
    const path = join(folder, `key-${files++}`)
    writeFileSync(path, `${text}\n`)
    return { text, path, key: readAccountKey(text) }
  }
  const key: AccountWorld['key'] = (algorithm) =>
    keyFile(algorithm === 'p256' ? pem('ec') : pem('ed25519'))
  const rules = async (
    algorithm: AccountKey['algorithm'],
    { isDelegated = false, lastLedger }: { isDelegated?: boolean; lastLedger?: number } = {},
  ): Promise<Payer> => {
    const agent = key(algorithm)
    const signer = isDelegated
      ? delegated(addressOf(agent.key.publicKey))
      : external(verifier, agent.key.publicKey)
    const owner = external(verifier, key('ed25519').key.publicKey)
    const agents = { agent: signer, limit: LIMIT, lastLedger }
    const { address, policy } = await deployer.ruleAccount({ owner, ...agents })
    return { ...agent, account: address, policy }
  }
  const payers: Readonly<Record<Kind, () => Promise<Payer>>> = {
    ed25519: async () => {
      const { address, key } = await deployer.smartAccount()
      return { ...keyFile(key.secret()), account: address }
    },
    policy: async () => {
      const { address, key, policy } = await deployer.policyAccount()
      return { ...keyFile(key.secret()), account: address, policy }
    },
    passkey: async () => {
      const passkey = key('p256')
      return { ...passkey, account: await deployer.passkeyAccount(passkey.key.publicKey) }
    },
    'rules, ed25519': () => rules('ed25519'),
    'rules, passkey': () => rules('p256'),
    'rules, expired': () => rules('ed25519', { lastLedger: 1 }),
    'rules, delegated': async () => {
      const payer = await rules('ed25519', { isDelegated: true })
      const address = addressOf(payer.key.publicKey)
      await localnet.pay({ address, asset: 'XLM', amount: 100_000_000n })
      return payer
    },
  }
  return {
    stack,
    deployer,
    folder,
    payTo,
    key,
    payer: (kind) => payers[kind](),
    seller: (terms) => onceSeller(stack, { payTo, ...terms }),
    balance: ledgerReader(localnet.httpUrl, localnet.network.passphrase).usdc,
    pay: ({ account, path }, url, max = '0.01') =>
      runHere(
        {
          PATH: process.env['PATH'],
          NODE_EXTRA_CA_CERTS: localnet.caFile,
          XDG_STATE_HOME: join(folder, account),
        },
        ...['pay', url, '--rpc', localnet.rpcUrl, '--max', max],
        ...['--account', account, '--key-file', path, '--json'],
      ),
    async [Symbol.asyncDispose]() {
      await stack[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function pem(type: 'ec' | 'ed25519'): string {
  const { privateKey } =
    type === 'ec'
      ? generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
      : generateKeyPairSync('ed25519')
  return String(privateKey.export({ format: 'pem', type: 'pkcs8' })).trim()
}
