import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { uptoContract } from '../../localnet/genesis/upto-contract.ts'
import type { LocalnetServer } from '../../localnet/server/server.ts'
import { passphrases } from '../../platform/core/caip2.ts'
import { AsyncDisposableStack } from '../../platform/core/language/disposable-stack.ts'
import { payToSigner } from '../../selling/receipts/signer.ts'
import type { DemoFailure } from '../demo-failure.ts'
import { findListings, QUESTION } from '../observe/find-listing.ts'
import { findPayments } from '../observe/find-payment.ts'
import type { ObservedPayment } from '../observe/observed-payment.ts'
import { choosePorts } from '../ports/choose-ports.ts'
import { LOOPBACK } from '../ports/claimed-port.ts'
import { startFacilitator } from '../programs/facilitator-process.ts'
import { METERED_PATH } from '../seller/metered-route.ts'
import { PAID_PATH, paidApi, serveApi } from '../seller/seller.ts'
import type { DemoSigner } from '../signer/demo-signer.ts'
import { refuseSecondDemo, removeStateAtEnd, takeFolder, writeState } from '../state/demo-folder.ts'
import { type ClaimedDemo, DEMO_NETWORK, type DemoState } from '../state/demo-state.ts'
import type { Wallet, Wallets } from '../wallets.ts'
import type { DemoOptions, Sponsor } from './demo-options.ts'
import { fixedPrice, metered, pay } from './pay.ts'
import { part, startDatabase, startNetwork, startSponsor, together } from './start-parts.ts'

export interface RunningDemo extends AsyncDisposable {
  readonly state: DemoState
  /** Resolves when a part ends before the demo stops it. */
  readonly lost: Promise<DemoFailure>
  /** Pays the call with a fixed price. */
  pay(): Promise<ObservedPayment>
  /** Pays the metered call for what its answer uses. */
  payMetered(): Promise<ObservedPayment>
  /** Waits until the catalog lists the API; call it after both payments. */
  findListings(): Promise<void>
  /** Waits until the explorer shows the payments. */
  findPayments(payments: readonly ObservedPayment[]): Promise<void>
}

/**
 * Starts every part, independent ones in parallel. When a part does not start, stops those that did.
 * Throws DemoFailure, or the signal's reason.
 */
export async function startDemo(options: DemoOptions): Promise<RunningDemo> {
  await using parts = new AsyncDisposableStack()
  const { folder, progress, signal } = options
  // Before the ports, which the other demo holds: this is the better message.
  await refuseSecondDemo(folder)
  const { claimed, replaced } = parts.use(await choosePorts(options.ports))
  const claim = { id: randomUUID(), pid: options.pid, apiPort: claimed.api.port }
  const api = serveApi(claimed.api.server, claim.id)
  await part('the demo', takeFolder(folder, claim))
  parts.use(removeStateAtEnd(folder))
  if (replaced.length > 0) options.say(portsReplaced(replaced))

  const sponsor = await startSponsor(options, parts)
  const [{ network, wallets }, database] = await together([
    startNetwork(options, claimed, sponsor, parts),
    startDatabase(options, parts),
  ])
  signal.throwIfAborted()

  const environment = options.parts.facilitatorEnvironment({
    host: LOOPBACK,
    port: claimed.facilitator.port,
    explorerPort: claimed.explorer.port,
    rpcUrl: network.httpUrl,
    sponsor,
    uptoContract: uptoContract(passphrases[DEMO_NETWORK]),
    databaseUrl: database?.url,
  })
  const facilitator = await progress.step(
    'facilitator',
    async () => {
      const program = options.parts.facilitator(environment)
      const url = `http://${LOOPBACK}:${claimed.facilitator.port}`
      await claimed.facilitator[Symbol.asyncDispose]()
      await claimed.explorer[Symbol.asyncDispose]()
      return parts.use(
        await startFacilitator(program, url, join(folder, 'facilitator.log'), signal),
      )
    },
    ({ url }) => `svc serve on ${url}`,
  )

  const explorerUrl = `http://${LOOPBACK}:${claimed.explorer.port}`
  const { url: facilitatorUrl } = facilitator
  const state = stateOf(claim, {
    ...{ network, facilitatorUrl, explorerUrl, sponsor, wallets, environment },
  })
  await progress.step(
    'paid API',
    async () => api.start(sellerOf(options, state, wallets.seller)),
    () => `@x402/express on ${state.paidUrl}`,
  )
  await writeState(folder, state)

  const running = parts.move()
  return {
    state,
    lost: 'signer' in sponsor ? firstLost(facilitator, sponsor.signer) : facilitator.lost,
    pay: () => pay(options, state, fixedPrice(state)),
    payMetered: () => pay(options, state, metered(state)),
    findListings: () =>
      progress.step(
        'catalog',
        () => findListings({ ...state, clock: options.clock, signal }),
        () => `found by "${QUESTION}"`,
      ),
    findPayments: (payments) =>
      progress.step(
        'explorer',
        () =>
          findPayments(
            payments.map(({ call }) => call.settlement.transaction),
            { ...state, clock: options.clock, signal },
          ),
        () => `shows the payments on ${explorerUrl}/ui/`,
      ),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

const firstLost = (...parts: readonly Pick<DemoSigner, 'lost'>[]): Promise<DemoFailure> =>
  Promise.race(parts.flatMap(({ lost }) => lost ?? []))

const portsReplaced = (lines: readonly string[]): string =>
  [
    'Other programs have some of the usual ports:',
    ...lines.map((line) => `  ${line}`),
    '',
    '',
  ].join('\n')

const sellerOf = (
  { clock }: DemoOptions,
  { facilitatorUrl, paidUrl }: DemoState,
  { address, secret }: Wallet,
) =>
  paidApi({
    facilitatorUrl,
    network: DEMO_NETWORK,
    payTo: address,
    receipts: { signer: payToSigner(secret), origin: new URL(paidUrl).origin },
    clock,
  })

interface StartedParts extends Pick<DemoState, 'facilitatorUrl' | 'explorerUrl' | 'environment'> {
  readonly network: LocalnetServer
  readonly sponsor: Sponsor
  readonly wallets: Wallets
}

function stateOf(
  claim: ClaimedDemo,
  { network, facilitatorUrl, explorerUrl, sponsor, wallets, environment }: StartedParts,
): DemoState {
  const { caFile } = network
  if (caFile === undefined) throw new Error('the network was started without a certificate')
  return {
    ...claim,
    paidUrl: `http://${LOOPBACK}:${claim.apiPort}${PAID_PATH}`,
    meteredUrl: `http://${LOOPBACK}:${claim.apiPort}${METERED_PATH}`,
    facilitatorUrl,
    explorerUrl,
    networkUrl: network.httpUrl,
    rpcUrl: network.rpcUrl,
    caFile,
    passphrase: passphrases[DEMO_NETWORK],
    buyer: wallets.buyer,
    parties: {
      buyer: wallets.buyer.address,
      seller: wallets.seller.address,
      sponsor: sponsor.address,
    },
    environment,
  }
}
