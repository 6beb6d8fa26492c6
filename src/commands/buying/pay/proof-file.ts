import { open, rm } from 'node:fs/promises'
import type { PaidAnswer } from '../../../buying/pay/pay.ts'
import { savedProof } from '../../../buying/proof/saved-proof.ts'
import { messageOf } from '../../../platform/core/text/error-message.ts'
import { UsageError } from '../../command-line/usage-error.ts'

interface ProofFile extends AsyncDisposable {
  /** Never throws: the payment is made. */
  save(paid: PaidAnswer, say: (sentence: string) => void): Promise<void>
}

/** Makes the file before anything is paid; it is taken away again when nothing was saved. Throws UsageError when it exists. */
export async function proofFile(path: string): Promise<ProofFile> {
  const file = await open(path, 'wx', 0o600).catch((error: unknown) => {
    throw new UsageError(`--save-receipt cannot make the file: ${messageOf(error)}`)
  })
  let isSaved = false
  return {
    save: async (paid, say) => {
      const proof = savedProof(paid)
      try {
        await file.writeFile(`${JSON.stringify(proof, undefined, 2)}\n`)
        isSaved = true
        if (!proof.receipt) say('the seller signed no receipt')
      } catch (error) {
        say(`it is paid, and its receipt could not be saved: ${messageOf(error)}`)
      }
    },
    [Symbol.asyncDispose]: async () => {
      await file.close()
      if (!isSaved) await rm(path, { force: true })
    },
  }
}
