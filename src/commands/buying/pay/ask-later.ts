import type { PaymentTrace } from '../../../buying/outcome/payment-reference.ts'

/** Until when a payment whose outcome is open can be settled, and how to ask what became of it. */
export const askLater = (
  { reference, lastLedger, validUntil }: PaymentTrace,
  rpc: string | undefined,
): string =>
  `It can be settled until ledger ${lastLedger}, about ${validUntil.replace(/\.\d+/, '')}. What became of it says: ${statusCommand(reference, rpc)}`

/** @param rpc as `--rpc` named it; its path and query may hold a key, and are not repeated */
function statusCommand(reference: string, rpc: string | undefined): string {
  const command = `svc pay status ${reference}`
  if (rpc === undefined) return command
  const { origin, pathname, search } = new URL(rpc)
  return `${command} --rpc ${pathname === '/' && search === '' ? origin : 'URL'}`
}
