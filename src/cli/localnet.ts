import { join } from 'node:path'
import { usdc } from '../localnet/genesis-assets.ts'
import type { LocalnetServer } from '../localnet/server.ts'
import { startLocalnet } from '../localnet/server.ts'
import { SnapshotMismatch } from '../localnet/snapshot/snapshot.ts'
import { StateFileError } from '../localnet/snapshot/state-file.ts'
import { helpPage, usageExit } from './help.ts'
import type { LocalnetSettings } from './localnet-settings.ts'
import { BadSettings, readLocalnetSettings } from './localnet-settings.ts'

/** EX_USAGE of sysexits: the command line cannot be meant. */
const BAD_SETTINGS_EXIT = 64

const help = helpPage({
  name: 'localnet',
  summary: "a Stellar network of one node on this machine, with testnet's passphrase",
  usage: ['svc localnet [options]'],
  options: [
    ['--port 8000', 'of Stellar RPC, /friendbot and /faucet over http'],
    ['--tls', 'serve https as well, for clients that insist on it'],
    ['--tls-port 8443', 'of https'],
    ['--close-every 5s', 'how often a ledger closes; manual closes one on POST /close only'],
    ['--host 127.0.0.1', 'address to listen on'],
    ['--limits testnet', 'what a ledger may hold; none lifts that, for load tests'],
    ['--max-operations 100', 'how many operations of classic transactions a ledger takes'],
    ['--retention 17280', 'how many ledgers of history are kept and can be asked for'],
    [
      '--protocol-meta v4',
      "version of the transactions' meta; v3 for decoders of before protocol 23",
    ],
    ['--state PATH', 'keep the ledger over a restart: a directory, where the certificate'],
    ['', "authority's file is kept too, or a file whose name ends in .gz"],
  ],
  notes: [
    'A port of 0 takes any free one. One line of JSON says where everything is once it is ready.',
  ],
  environment: [['nothing', 'is read']],
  exits: { 0: 'stopped by a signal', 1: 'could not start, and why', ...usageExit },
  example: 'svc localnet --tls --close-every 1s',
})

/** @returns the exit code: 0 stopped by a signal, 1 could not start, 64 bad flags */
export async function run(argv: readonly string[]): Promise<number> {
  try {
    const settings = readLocalnetSettings(argv)
    if (settings.help) {
      process.stdout.write(help)
      return 0
    }
    return await serveUntilStopped(settings)
  } catch (error) {
    if (error instanceof BadSettings) {
      const list = error.problems.map((problem) => `  - ${problem}\n`).join('')
      process.stderr.write(
        `svc localnet cannot start:\n${list}svc localnet --help says what it takes.\n`,
      )
      return BAD_SETTINGS_EXIT
    }
    const known = error instanceof Error ? problemOf(error) : undefined
    if (known === undefined) throw error
    process.stderr.write(`svc localnet: ${known}\n`)
    return 1
  }
}

async function serveUntilStopped(settings: LocalnetSettings): Promise<number> {
  const { statePath, help: _, maxOperations, ...served } = settings
  const stopped = signalled()
  await using server = await startLocalnet({
    ...served,
    ...(maxOperations === undefined ? {} : { maxOperations }),
    ...(statePath === undefined ? {} : placeState(statePath)),
    log: (line) => process.stderr.write(`${line}\n`),
  })
  process.stdout.write(`${JSON.stringify(readyLine(server))}\n`)
  await stopped
  return 0
}

function readyLine({ network, httpUrl, httpsUrl, caFile }: LocalnetServer) {
  return {
    ready: true,
    rpcUrl: httpUrl,
    ...(httpsUrl && caFile ? { httpsUrl, caFile } : {}),
    friendbot: `${httpUrl}/friendbot`,
    faucet: `${httpUrl}/faucet`,
    passphrase: network.passphrase,
    usdc: {
      code: usdc.getCode(),
      issuer: usdc.getIssuer(),
      contract: usdc.contractId(network.passphrase),
    },
    protocol: network.host.protocol,
    limits: network.limits,
    ledger: network.latest.sequence,
  }
}

/** A name that ends in .gz is the ledger's own file; any other is a folder for all there is to keep. */
const placeState = (path: string) =>
  path.endsWith('.gz')
    ? { stateFile: path }
    : { stateFile: join(path, 'localnet-ledger.gz'), stateDirectory: path }

/** Resolves on the first signal to stop, also when it comes while the network still starts. */
const signalled = (): Promise<void> =>
  new Promise((resolve) => {
    const stop = () => {
      process.off('SIGINT', stop).off('SIGTERM', stop)
      resolve()
    }
    process.on('SIGINT', stop).on('SIGTERM', stop)
  })

/** What kept the network from starting, in a sentence; undefined when it was something unforeseen. */
function problemOf(error: Error): string | undefined {
  if (error instanceof StateFileError) return `${error.message}. Move it away, or change --state.`
  if (error instanceof SnapshotMismatch) {
    return `the ledger under --state cannot go on here: ${error.message}.`
  }
  const { code, address, port } = { code: '', address: '', port: 0, ...error }
  if (code === 'EADDRINUSE') {
    return `port ${port} is taken. Stop what listens there, or choose another with --port and --tls-port.`
  }
  if (code === 'EACCES') return `port ${port} may not be used by this user. Choose one above 1023.`
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return `there is no address ${address} on this machine to listen on (--host).`
  }
  return undefined
}
