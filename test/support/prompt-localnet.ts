import { Localnet, type SubmitResult } from '../../src/localnet/network.ts'

/** A network that closes a ledger as soon as it has taken something in, while nobody holds it. */
export class PromptLocalnet extends Localnet {
  isHeld = false

  override submit(envelopeXdr: Uint8Array): SubmitResult {
    const result = super.submit(envelopeXdr)
    if (result.status === 'PENDING' && !this.isHeld) void this.closeLedger()
    return result
  }
}
