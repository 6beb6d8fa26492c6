/** Payers whose payments fail, and payers who have too little for all that they have under way. */
import { settleCodes } from '../../../protocol/reasons.ts'
import { limit, type Moments } from '../limit.ts'

const pausedMessage = ({ payer, pausedForMs = 0 }: Moments['verify']): string | false =>
  pausedForMs > 0 &&
  `payments of ${payer} failed on the ledger by its own fault; it is paused for ${Math.ceil(pausedForMs / 1_000)} s more`

export const payerPaused = limit({
  name: 'payer paused',
  when: ['verify', 'request'],
  effect: 'refuse',
  code: settleCodes.payerPaused,
  metric: { name: 'payerRefusals', labels: { rule: 'paused' } },
  sentence:
    '`PAYER_PAUSE_FAILURES` settlements of the payer failed on the ledger by its own fault within `PAYER_PAUSE_WINDOW_SECONDS`, the last one less than `PAYER_PAUSE_SECONDS` ago.',
  decide: pausedMessage,
})

export const payerFunds = limit({
  name: "payer's funds",
  when: ['verify', 'claim'],
  effect: 'refuse',
  code: 'insufficient_funds',
  metric: { name: 'payerRefusals', labels: { rule: 'funds' } },
  sentence:
    "With `PAYER_FUNDS_LIMIT`: the payer's unfinished payments of the asset and this one exceed its balance.",
  decide({ refusal }) {
    if (refusal?.kind !== 'over_funds') return false
    const { payer, amount, symbol, balance } = refusal
    return (
      `the payer ${payer} holds ${balance.amount} base units of ${symbol} on ledger ${balance.ledger}; ` +
      `its unfinished payments leave less than the ${amount} of this one`
    )
  },
})

export const payerPausedWhileWaiting = limit({
  name: 'payer paused while it waited',
  when: ['lease'],
  effect: 'refuse',
  code: settleCodes.payerPaused,
  metric: { name: 'payerRefusals', labels: { rule: 'paused' } },
  sentence: 'Other settlements of the payer failed while the payment waited for its channel.',
  decide: pausedMessage,
})
