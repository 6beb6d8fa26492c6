import type { SubmitResult } from '../../src/localnet/closing/submit-result.ts'
import { Localnet } from '../../src/localnet/network.ts'
import {
  type LocalnetServer,
  type LocalnetServerOptions,
  startLocalnetServer,
} from '../../src/localnet/server/server.ts'

/** A network that closes a ledger after each transaction it accepts, unless a test holds it. */
export class PromptLocalnet extends Localnet {
  isHeld = false
  /** Hashes of the accepted transactions, once each, in order. */
  readonly taken: string[] = []

  override submit(envelopeXdr: Uint8Array): SubmitResult {
    const result = super.submit(envelopeXdr)
    if (result.status !== 'PENDING') return result
    this.taken.push(result.hash)
    if (!this.isHeld) void this.closeLedger()
    return result
  }
}

/** Close times follow the clock, which a program under test reads, as long as less than one transaction a second is sent. */
const CLOSE_EVERY_MS = 1_000

/**
 * Such a network with its servers, for programs. Besides, a ledger closes each second: a network that closes many a
 * second would soon have close times far ahead of the clock.
 */
export async function startPromptLocalnet(
  options: Omit<LocalnetServerOptions, 'network' | 'closeEveryMs'> = {},
): Promise<LocalnetServer> {
  const network = new PromptLocalnet()
  const server = await startLocalnetServer({ ...options, network, closeEveryMs: CLOSE_EVERY_MS })
  return {
    ...server,
    pay: async (request) => {
      const [paid] = await Promise.all([network.faucet(request), network.closeLedger()])
      return paid
    },
  }
}
