/** The network refused an envelope because others bid more: the payment bids again, or waits for lower fees as long as it is valid. */
import { settleCodes } from '../../../protocol/reasons.ts'
import { limit } from '../limit.ts'

export const highestBid = limit({
  name: 'highest bid',
  when: ['send'],
  effect: 'refuse',
  code: settleCodes.submissionFailed,
  sentence:
    'The network asks for a higher fee than `INCLUSION_FEE_CAP_STROOPS` or `MAX_TX_FEE_STROOPS` allows.',
  decide: ({ higherBid }) =>
    !higherBid && 'the network is busy: it asks for a higher fee than this service pays',
})

export const outbid = limit({
  name: 'outbid',
  when: ['send'],
  effect: 'bid again',
  sentence:
    'The network asks for a higher fee: the payment is claimed again, with at least twice the bid.',
  decide: ({ higherBid }) => higherBid !== undefined,
})
