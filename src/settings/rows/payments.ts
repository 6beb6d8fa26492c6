import { durationMs } from '../../kubernetes/crd/fields/duration.ts'
import { duration } from '../../kubernetes/crd/fields/fields.ts'
import { feePercentiles } from '../../stellar/rpc/rpc.ts'
import {
  boolean,
  choice,
  integer,
  lumens,
  optionalBoolean,
  optionalLumens,
  stroops,
} from './kinds.ts'
import { settingsTable } from './row.ts'

const inSeconds = (text: string): string => String(durationMs(text) / 1_000)

/** Settings that decide which payments are accepted on one network, and what they may cost the sponsor. */
export const paymentSettings = settingsTable({
  MAX_TX_FEE_STROOPS: {
    shared: true,
    help: 'Maximum fee of a settlement; a payment that would cost more is refused.',
    crd: {
      path: 'fees.maxTxFeeStroops',
      description:
        'Maximum fee of one settlement, in stroops; the facilitator refuses payments that would cost more.',
    },
    ...stroops(300_000n),
  },
  INCLUSION_FEE_STROOPS: {
    member: 'inclusionFee.floorStroops',
    shared: true,
    help: 'The lowest inclusion fee that the service bids, per operation.',
    crd: {
      path: 'fees.inclusion.floorStroops',
      description: 'Minimum bid for inclusion in a ledger, in stroops.',
    },
    ...stroops(100n),
  },
  INCLUSION_FEE_CAP_STROOPS: {
    member: 'inclusionFee.capStroops',
    shared: true,
    help: 'The highest inclusion fee that it bids.',
    preflight: false,
    crd: {
      path: 'fees.inclusion.capStroops',
      description: 'Maximum bid, in stroops, however busy the network is.',
    },
    ...stroops(10_000n),
  },
  INCLUSION_FEE_PERCENTILE: {
    member: 'inclusionFee.percentile',
    shared: true,
    help: 'The service bids this percentile of recent inclusion fees of contract transactions, but no less than the lowest and no more than the highest.',
    preflight: false,
    crd: {
      path: 'fees.inclusion.percentile',
      description: 'Settlements bid this percentile of recent bids.',
    },
    ...choice(feePercentiles, 'p90'),
  },
  SPONSOR_RESERVE_XLM: {
    member: 'sponsorReserve',
    shared: true,
    help: 'Settlements are refused while the sponsor can spend less than this: its balance without the reserves of its channels and the maximum fees of settlements under way.',
    preflight: false,
    crd: {
      path: 'sponsor.reserveXlm',
      description: 'Settlements are refused while the sponsor can spend less than this, in XLM.',
    },
    ...lumens('5'),
  },
  MIN_SPONSOR_BALANCE_XLM: {
    member: 'minSponsorBalance',
    shared: true,
    help: '`/ready` fails and `/health` warns while the sponsor can spend less than this, and no channel is created that would leave less.',
    preflight: false,
    ...lumens('25'),
  },
  MAX_SPONSOR_SPEND_XLM_PER_HOUR: {
    member: 'hourlyBudget',
    shared: true,
    help: 'Budget for the fees of any 60 minutes, over all replicas; a settlement whose maximum fee does not fit is refused, and the keeper of the settlement contract waits until its own fits.',
    preflight: false,
    crd: {
      path: 'sponsor.spendXlmPerHour',
      description:
        'Budget for the fees of any 60 minutes, over all replicas, in XLM; at least 1. A settlement whose maximum fee does not fit is refused. No limit when absent.',
    },
    ...optionalLumens('1', 'no limit'),
  },
  MAX_KEY_SHARE_OF_BUDGET_PERCENT: {
    shared: true,
    help: 'The part of the hourly budget that the settlements of one API key may use, in percent; all callers without a key count as one. 100: no limit but the budget itself.',
    preflight: false,
    crd: {
      path: 'sponsor.maxKeySharePercent',
      presence: 'optional',
      description:
        'The part of spendXlmPerHour that the settlements of one API key may use, in percent; all callers without a key count as one. No limit but the budget itself when absent.',
    },
    ...integer(1, 100, 100),
  },
  EXPIRATION_MARGIN_LEDGERS: {
    help: 'How many ledgers after the latest one an authorization must still be valid; 0 counts as 1.',
    crd: {
      path: 'expirationMarginLedgers',
      description:
        'An authorization must stay valid for more than this number of ledgers after the latest one.',
    },
    ...integer(0, 100, 1),
  },
  TIMEOUT_MIN_SECONDS: {
    help: 'The lowest `maxTimeoutSeconds` that is accepted.',
    preflight: false,
    crd: {
      path: 'timeouts.min',
      type: duration().default('10s'),
      text: inSeconds,
      description: 'Minimum of maxTimeoutSeconds.',
    },
    ...integer(1, 3_600, 10),
  },
  TIMEOUT_MAX_SECONDS: {
    help: 'The highest `maxTimeoutSeconds` that is accepted.',
    crd: {
      path: 'timeouts.max',
      type: duration().default('900s'),
      text: inSeconds,
      description: 'Maximum of maxTimeoutSeconds.',
    },
    ...integer(1, 3_600, 900),
  },
  PAYER_FUNDS_LIMIT: {
    member: 'payers.limitToFunds',
    shared: true,
    help: "Whether a payment is refused when the payer's unfinished payments of the asset, with this one, exceed its balance.",
    preflight: false,
    crd: {
      path: 'payers.limitToFunds',
      description:
        "Refuses a payment when the payer's unfinished payments, with it, exceed the balance.",
    },
    ...boolean(true),
  },
  PAYER_PAUSE_FAILURES: {
    member: false,
    shared: true,
    help: "After this many failures on the ledger by its own fault, a payer's new payments are refused for a while; 0 never refuses them.",
    preflight: false,
    crd: {
      path: 'payers.pauseAfterFailures',
      description:
        "Failures on the ledger by the payer's own fault after which its payments are refused for a while; 0: never.",
    },
    ...integer(0, 100, 3),
  },
  PAYER_PAUSE_WINDOW_SECONDS: {
    member: false,
    shared: true,
    help: 'The time within which these failures must happen.',
    preflight: false,
    crd: {
      path: 'payers.failureWindowSeconds',
      description: 'Seconds within which these failures happen.',
    },
    ...integer(1, 3_600, 300),
  },
  PAYER_PAUSE_SECONDS: {
    member: false,
    shared: true,
    help: 'For how long the payments are refused, from the last of these failures on.',
    preflight: false,
    crd: {
      path: 'payers.pauseSeconds',
      description: 'Seconds for which payments are refused after the last of these failures.',
    },
    ...integer(1, 3_600, 60),
  },
})

export const networkSwitches = settingsTable({
  REQUIRE_API_KEY: {
    preflight: false,
    member: false,
    shared: true,
    help: 'Whether `/verify` and `/settle` require an API key.',
    ...optionalBoolean('false on testnet, required on pubnet'),
  },
  AUTO_PROVISION_CHANNELS: {
    member: false,
    help: 'Whether the service creates missing channels when it starts. On pubnet that spends real money.',
    ...optionalBoolean('true on testnet, false on pubnet'),
  },
  ALLOW_HTTP: {
    member: false,
    help: 'Whether `RPC_URL` may be plain http to another machine; on pubnet it never may.',
    ...boolean(false),
  },
})
