/** A copy of a LedgerEntry XDR, which begins with the ledger of its last change, with that set. */
export function withLastModified(entry: Uint8Array, ledger: number): Uint8Array {
  const copy = new Uint8Array(entry)
  new DataView(copy.buffer).setUint32(0, ledger)
  return copy
}
