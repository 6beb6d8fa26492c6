/** What `svc rotate` writes, in its order. */
/** The new accounts are known before the ledger has them, and can be leased when it has. */
export const provision = [
  'insert into upto_authorities',
  'insert into upto_authorities',
  'insert into channels',
  'sendTransaction',
  'insert into channels',
  'commit of insert into channels',
]
export const drain = ['update channels', 'commit of update channels', 'update settlements']
/** Of a planned rotation. */
export const plannedWrites: readonly string[] = [
  ...provision,
  ...drain,
  // The reserve of the authority.
  'sendTransaction',
  'sendTransaction',
  'update channels',
  'sendTransaction',
]
