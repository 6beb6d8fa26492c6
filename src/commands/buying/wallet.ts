import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import {
  FUNDED_NETWORK,
  FundingFailure,
  type Funds,
  fundWallet,
  type NewWallet,
} from '../../buying/wallet/fund-wallet.ts'
import { INTERRUPTED } from '../../service/process/exit-codes.ts'
import { Stopped } from '../../service/process/stop-signals.ts'
import { ConfigError } from '../../settings/parser/config-error.ts'
import { secretOfSeed, signerFromSeed } from '../../stellar/accounts/signer.ts'
import { command } from '../command-line/command.ts'
import { flag, text } from '../command-line/flags.ts'
import { UsageError } from '../command-line/usage-error.ts'
import { readRunningDemo } from '../development/running-demo.ts'

const PUBLIC_TESTNET = 'https://soroban-testnet.stellar.org'
const CIRCLE_FAUCET = 'https://faucet.circle.com'

export const wallet = command({
  name: 'wallet',
  summary: 'makes a key pair, and funds its account on a test network',
  usage: ['svc wallet new [--fund [--rpc URL]] [--out FILE] [--json]'],
  actions: { new: ['fund', 'rpc', 'out', 'json'] },
  flags: {
    fund: flag(
      'gets XLM from the network, adds a trustline to USDC, and gets test USDC where it can',
    ),
    rpc: text('URL', 'Stellar RPC of the test network; https, or http'),
    out: text(
      'FILE',
      'writes the seed to this new file that only you can read, and prints it nowhere',
    ),
    json: flag('prints one line of JSON, also on a terminal'),
  },
  positionals: (words, { fund, rpc, out }) => {
    if (words.length > 0) throw new UsageError(`Unexpected argument '${words[0]}'`)
    if (rpc !== undefined && !fund) throw new UsageError('--rpc needs --fund')
    if (rpc !== undefined && !isHttp(rpc)) {
      throw new UsageError(`--rpc is a URL such as ${PUBLIC_TESTNET}, not ${rpc}`)
    }
    if (out === '') throw new UsageError('--out needs the path of a file')
  },
  usageFailure: (message) => ({ error: 'usage', message }),
  notes: [
    'Prints the address and the secret seed, which is stored nowhere else. Anyone with the seed can',
    'spend the money. --out never overwrites a file, and prints its whole path. Its content is the seed',
    'alone, as BUYER_SECRET_FILE and TESTNET_SPONSOR_SECRET_FILE expect it.',
    '',
    'Without --rpc, --fund takes TESTNET_RPC_URL, else the network of the demo that runs here,',
    `else ${PUBLIC_TESTNET}. It works on ${FUNDED_NETWORK} only, never on the public network.`,
    `Only the embedded network gives test USDC; for testnet see ${CIRCLE_FAUCET}.`,
  ],
  env: [['TESTNET_RPC_URL', 'the Stellar RPC of --fund; of several, the first']],
  exits: {
    0: 'done',
    1: 'the file cannot be written, or the account was not funded; the keys are printed all the same',
    78: 'TESTNET_RPC_URL is no URL',
    130: 'interrupted while funding',
  },
  example: 'svc wallet new --fund',
  handlesStop: true,
  run: async ({ flags: { fund, rpc, out, json }, stop }) => {
    const rpcUrl = rpc ?? (await defaultRpc())
    const made = newWallet()
    if (out !== undefined && !writeSeed(out, made.secret)) return 1
    const shown: Shown = {
      address: made.address,
      ...(out === undefined ? { secret: made.secret } : { file: resolve(out) }),
    }
    const isJson = json || !process.stdout.isTTY
    if (!fund) return print(shown, isJson)
    const where = { network: FUNDED_NETWORK, rpc: new URL(rpcUrl).origin }
    try {
      const funds = await fundWallet(made, { rpcUrl, signal: stop, onProgress: say })
      return print({ ...shown, ...where, ...funds, ...nextOf(funds) }, isJson)
    } catch (error) {
      const { code, message, hint, exit } = failureOf(error)
      say(`${message}.${hint === undefined ? '' : `\n${hint}`}`)
      print({ ...shown, ...where, error: code, message, hint }, isJson)
      return exit
    }
  },
})

type Shown = Readonly<Record<string, string | undefined>>

const say = (sentence: string) => process.stderr.write(`svc wallet: ${sentence}\n`)

function newWallet(): NewWallet {
  const seed = randomBytes(32)
  return { address: signerFromSeed(seed).address, secret: secretOfSeed(seed) }
}

/** @returns whether it is written; a file that exists is left alone, since it may hold the key to money. */
function writeSeed(path: string, secret: string): boolean {
  try {
    writeFileSync(path, `${secret}\n`, { mode: 0o600, flag: 'wx' })
    return true
  } catch (error) {
    const { code } = Object(error)
    if (code === undefined) throw error
    say(
      code === 'EEXIST'
        ? `${path} exists, and no seed is overwritten. Name another file.`
        : `${path} cannot be written (${code}). Name a file in a folder that you can write to.`,
    )
    return false
  }
}

function print(shown: Shown, isJson: boolean): 0 {
  const lines = Object.entries(shown).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name.padEnd(9)}${value}\n`],
  )
  process.stdout.write(isJson ? `${JSON.stringify(shown)}\n` : lines.join(''))
  return 0
}

const nextOf = ({ usdc }: Funds) =>
  usdc === '0'
    ? { next: `get test USDC for the address at ${CIRCLE_FAUCET} (network: Stellar Testnet)` }
    : {}

async function defaultRpc(): Promise<string> {
  const configured = process.env['TESTNET_RPC_URL']?.split(',')[0]?.trim()
  if (!configured) return (await readRunningDemo())?.networkUrl ?? PUBLIC_TESTNET
  if (isHttp(configured)) return configured
  throw new ConfigError([{ variable: 'TESTNET_RPC_URL', message: 'must be http or https URLs' }])
}

const isHttp = (url: string): boolean => /^https?:$/.test(URL.parse(url)?.protocol ?? '')

function failureOf(error: unknown) {
  if (error instanceof FundingFailure) {
    const { code, message, hint } = error
    return { code, message, hint, exit: 1 }
  }
  if (!(error instanceof Stopped)) throw error
  return { code: 'stopped', message: error.message, hint: undefined, exit: INTERRUPTED }
}
