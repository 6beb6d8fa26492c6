import { usdc } from '../../localnet/genesis/genesis-assets.ts'
import { type LocalnetServer, startLocalnetServer } from '../../localnet/server/server.ts'
import { SnapshotMismatch } from '../../localnet/snapshot/snapshot.ts'
import { StateFileError } from '../../localnet/snapshot/state-file.ts'
import { stopped } from '../../service/process/stop-signals.ts'
import { command } from '../command-line/command.ts'
import { demoFolder } from './demo-folder.ts'
import { localnetFlags, localnetOptions } from './localnet-options.ts'

export const localnet = command({
  name: 'localnet',
  summary: "a Stellar network of one node on this machine, with testnet's passphrase",
  usage: ['svc localnet [options]'],
  flags: localnetFlags,
  notes: [
    'A port of 0 takes any free one. One line of JSON says where everything is once it is ready.',
  ],
  exits: { 0: 'stopped by a signal', 1: 'could not start, and why' },
  example: 'svc localnet --tls --close-every 1s',
  handlesStop: true,
  explain: explainStartError,
  run: async ({ flags, stop }) => {
    await using server = await startLocalnetServer({
      // That of the demo: a client that trusts the one network trusts the other.
      stateDirectory: demoFolder(),
      ...localnetOptions(flags),
      log: (line) => process.stderr.write(`${line}\n`),
    })
    process.stdout.write(`${JSON.stringify(readyLine(server))}\n`)
    await stopped(stop)
    return 0
  },
})

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
    ...(network.uptoContract && { uptoContract: network.uptoContract }),
    protocol: network.host.protocol,
    limits: network.limits,
    ledger: network.latest.sequence,
  }
}

/** The sentence for an expected error of the start; undefined for any other. */
function explainStartError(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  if (error instanceof StateFileError) return `${error.message}. Move it away, or change --state.`
  if (error instanceof SnapshotMismatch) {
    return `the ledger under --state is of another network: ${error.message}.`
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
