/** The parts of a demo that start before its facilitator. */
import { type LocalnetServer, startLocalnetServer } from '../../localnet/server/server.ts'
import type { AsyncDisposableStack } from '../../platform/core/language/disposable-stack.ts'
import { asDemoFailure } from '../demo-failure.ts'
import type { ChosenPorts } from '../ports/choose-ports.ts'
import { LOOPBACK } from '../ports/claimed-port.ts'
import { fundedWallets, newWallet, type Wallets } from '../wallets.ts'
import type { Database, DemoOptions, Sponsor } from './demo-options.ts'

/** With a seed, unless the demo has something else that signs. */
export async function startSponsor(
  { parts, folder, progress, signal }: DemoOptions,
  started: AsyncDisposableStack,
): Promise<Sponsor> {
  const start = parts.startSigner
  if (!start) return newWallet()
  const signer = await progress.step(
    'signer',
    async () => started.use(await part('the signer', start(folder, signal))),
    ({ description }) => description,
  )
  return { address: signer.address, signer, channelSecret: newWallet().secret }
}

export async function startNetwork(
  { closeEveryMs, clock, folder, progress, signal }: DemoOptions,
  { network: port, networkTls: tlsPort }: ChosenPorts['claimed'],
  sponsor: Sponsor,
  parts: AsyncDisposableStack,
): Promise<{ network: LocalnetServer; wallets: Wallets }> {
  const network = await progress.step(
    'Stellar network',
    async () => {
      await Promise.all([port[Symbol.asyncDispose](), tlsPort[Symbol.asyncDispose]()])
      const starting = startLocalnetServer({
        host: LOOPBACK,
        port: port.port,
        tls: true,
        tlsPort: tlsPort.port,
        stateDirectory: folder,
        closeEveryMs,
        clock,
      })
      return parts.use(await part('the Stellar network', starting))
    },
    ({ network }) =>
      `Soroban host, protocol ${network.host.protocol}, a ledger every ${closeEveryMs / 1000} s`,
  )
  const wallets = await progress.step(
    'accounts',
    () => part('the accounts', fundedWallets(network.httpUrl, sponsor.address, signal)),
    () => 'sponsor, buyer and seller, funded',
  )
  return { network, wallets }
}

export async function startDatabase(
  { parts, folder, progress }: DemoOptions,
  started: AsyncDisposableStack,
): Promise<Database | undefined> {
  const start = parts.startDatabase
  if (!start) return undefined
  return progress.step(
    'Postgres',
    async () => started.use(await part('Postgres', start(folder))),
    () => 'real Postgres, data in a folder of its own',
  )
}

export async function part<T>(name: string, starting: Promise<T>): Promise<T> {
  try {
    return await starting
  } catch (error) {
    throw asDemoFailure(name, error)
  }
}

/** Like Promise.all, but after a failure it waits until the other has started, so that it can be stopped. */
export async function together<A, B>([a, b]: [Promise<A>, Promise<B>]): Promise<[A, B]> {
  await Promise.allSettled([a, b])
  return Promise.all([a, b])
}
