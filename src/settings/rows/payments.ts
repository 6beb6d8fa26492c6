import { feePercentiles } from '../../stellar/rpc/rpc.ts'
import { boolean, choice, integer, lumens, optionalLumens, stroops } from './kinds.ts'
import { settingsTable } from './row.ts'

/** Which payments are accepted on one network, and what they may cost the sponsor. */
export const paymentSettings = settingsTable({
  MAX_TX_FEE_STROOPS: {
    shared: true,
    help: 'Maximum fee of a settlement; a payment that would cost more is refused.',
    ...stroops(100n, 300_000n),
  },
  INCLUSION_FEE_STROOPS: {
    member: 'inclusionFee.floorStroops',
    shared: true,
    help: 'The lowest inclusion fee that the service bids, per operation.',
    ...stroops(100n, 100n),
  },
  INCLUSION_FEE_CAP_STROOPS: {
    member: 'inclusionFee.capStroops',
    shared: true,
    help: 'The highest inclusion fee that it bids.',
    ...stroops(100n, 10_000n),
  },
  INCLUSION_FEE_PERCENTILE: {
    member: 'inclusionFee.percentile',
    shared: true,
    help: 'The service bids this percentile of recent inclusion fees of contract transactions, but no less than the lowest and no more than the highest.',
    ...choice(feePercentiles, 'p90'),
  },
  SPONSOR_RESERVE_XLM: {
    member: 'sponsorReserve',
    shared: true,
    help: 'Settlements are refused while the sponsor can spend less than this: its balance without the reserves of its channels and the maximum fees of settlements under way.',
    ...lumens('5'),
  },
  MIN_SPONSOR_BALANCE_XLM: {
    member: 'minSponsorBalance',
    shared: true,
    help: '`/ready` fails and `/health` warns while the sponsor can spend less than this, and no channel is created that would leave less.',
    ...lumens('25'),
  },
  MAX_SPONSOR_SPEND_XLM_PER_HOUR: {
    member: 'hourlyBudget',
    shared: true,
    help: 'Budget for the fees of any 60 minutes, over all replicas; a settlement whose maximum fee does not fit is refused, and the keeper of the settlement contract waits until its own fits.',
    ...optionalLumens('1', 'no limit'),
  },
  MAX_KEY_SHARE_OF_BUDGET_PERCENT: {
    shared: true,
    help: 'The part of the hourly budget that the settlements of one API key may use, in percent; all callers without a key count as one. 100: no limit but the budget itself.',
    ...integer(1, 100, 100),
  },
  EXPIRATION_MARGIN_LEDGERS: {
    help: 'How many ledgers after the latest one an authorization must still be valid; 0 counts as 1.',
    ...integer(0, 100, 1),
  },
  TIMEOUT_MIN_SECONDS: {
    help: 'The lowest `maxTimeoutSeconds` that is accepted.',
    ...integer(1, 3_600, 10),
  },
  TIMEOUT_MAX_SECONDS: {
    help: 'The highest `maxTimeoutSeconds` that is accepted.',
    ...integer(1, 3_600, 900),
  },
  PAYER_FUNDS_LIMIT: {
    member: 'payers.limitToFunds',
    shared: true,
    help: "Whether a payment is refused when the payer's unfinished payments of the asset, with this one, exceed its balance.",
    ...boolean(true),
  },
  PAYER_PAUSE_FAILURES: {
    member: false,
    shared: true,
    help: "After this many failures on the ledger by its own fault, a payer's new payments are refused for a while; 0 never refuses them.",
    ...integer(0, 100, 3),
  },
  PAYER_PAUSE_WINDOW_SECONDS: {
    member: false,
    shared: true,
    help: 'The time within which these failures must happen.',
    ...integer(1, 3_600, 300),
  },
  PAYER_PAUSE_SECONDS: {
    member: false,
    shared: true,
    help: 'For how long the payments are refused, from the last of these failures on.',
    ...integer(1, 3_600, 60),
  },
})
