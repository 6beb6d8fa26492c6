import { provisionChannels } from '../channels/provision.ts'
import { passphrases } from '../core/caip2.ts'
import { systemClock } from '../core/clock.ts'
import { decimalAmount } from '../core/stroops.ts'
import { signerFromSecret } from '../stellar/signer.ts'
import { createLogger } from '../telemetry/logger.ts'
import { type OperatorCommand, runOperatorCommand } from './operator-command.ts'

const help = `svc provision: creates the channel accounts that are missing

  svc provision [--network ID] [--count N]

  --network ID     of the configured NETWORKS, this one only
  --count N        channels there shall be; CHANNEL_COUNT unless given

  The sponsor pays the fees, and the reserve of 1 XLM for each channel, which svc retire returns.
  Brings the schema up to date first. May be stopped, killed and run again at any moment, also beside
  a running service: what exists is found, not created again.

  Reads what svc serve reads: NETWORKS, ..._RPC_URL, ..._SPONSOR_SECRET, CHANNEL_COUNT,
  INCLUSION_FEE_STROOPS (the bid for each of three operations a channel), DATABASE_URL.

  Prints a line of JSON for each network. Exit code 0: all are in place; 1: not all, and why; 64: wrong
  options; 78: wrong configuration.
`

const command: OperatorCommand = {
  name: 'provision',
  help,
  progress: 'in place',
  run: async ({ network, count, rpc, store, signal, onProgress }) => {
    await store?.migrate()
    const sponsor = signerFromSecret(network.sponsorSecret).address
    let found: number | undefined
    await provisionChannels({
      network: network.id,
      passphrase: passphrases[network.id],
      sponsorSecret: network.sponsorSecret,
      count,
      inclusionFee: network.inclusionFee,
      rpc,
      store,
      clock: systemClock,
      log: createLogger({ level: 'silent' }),
      signal,
      onProgress: (progress) => {
        found ??= progress.done
        onProgress(progress)
      },
    })
    const census = await store?.channels.census(network.id, sponsor)
    const balance = (await rpc.accounts([sponsor], signal)).get(sponsor)?.balance
    const facts = {
      sponsor,
      channels: census?.active ?? count,
      created: count - (found ?? count),
      balanceXlm: balance === undefined ? null : decimalAmount(balance, 7),
    }
    return { facts, problems: [] }
  },
}

/** @returns the exit code: 0 all channels are in place, 1 they are not, 78 bad configuration */
export const provision = (args: readonly string[]): Promise<number> =>
  runOperatorCommand(command, args)
