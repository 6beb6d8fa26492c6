import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { putChannels } from '../../../../src/payments/store/channels/channel.ts'
import { claimWithChannel } from '../../../../src/payments/store/settlements/claim/claim-with-channel.ts'
import { findSettlement } from '../../../../src/payments/store/settlements/find.ts'
import { finishSettlement } from '../../../../src/payments/store/settlements/transitions/finish.ts'
import { recordEnvelope } from '../../../../src/payments/store/settlements/transitions/record.ts'
import type { Store } from '../../../../src/platform/database/open.ts'
import { emptyTables, openEmptyStore } from '../../platform/database/open-stores.ts'
import {
  addChannels,
  channelOf,
  claimRequest,
  ending,
  keyOf,
  network,
  recording,
  sha256,
  submit,
} from './builders.ts'

const NEVER_CHANGES = 'its envelope and its outcome never change'

/** The state of a row, and a change that the schema must refuse. */
const forbidden: readonly {
  from: 'claimed' | 'submitted' | 'succeeded'
  what: string
  set: string
  breaks: string
}[] = [
  { from: 'claimed', what: 'an unknown state', set: `state = 'paid'`, breaks: 'known_state' },
  {
    from: 'claimed',
    what: 'a claim that is submitted without an envelope',
    set: `state = 'submitted'`,
    breaks: 'recorded_rows_can_be_sent_again',
  },
  {
    from: 'claimed',
    what: 'a claim with an envelope',
    set: `envelope_xdr = 'AAAA'`,
    breaks: 'recorded_rows_can_be_sent_again',
  },
  {
    from: 'claimed',
    what: 'a claim that is final without an envelope',
    set: `state = 'failed', response = '{}', finished_at = now()`,
    breaks: 'recorded_rows_can_be_sent_again',
  },
  {
    from: 'claimed',
    what: 'a claim with a response',
    set: `response = '{}', finished_at = now()`,
    breaks: 'final_rows_have_one_response',
  },
  ...['channel', 'envelope_xdr', 'tx_hash', 'inner_hash', 'max_time', 'recorded_at_ledger'].map(
    (column) => ({
      from: 'submitted' as const,
      what: `a submitted row that loses its ${column}`,
      set: `${column} = null`,
      breaks: `${NEVER_CHANGES}|recorded_rows_can_be_sent_again`,
    }),
  ),
  {
    from: 'submitted',
    what: 'a submitted row with another envelope',
    set: `envelope_xdr = 'BBBB'`,
    breaks: NEVER_CHANGES,
  },
  {
    from: 'submitted',
    what: 'a submitted row with a later end',
    set: 'max_time = max_time + 1',
    breaks: NEVER_CHANGES,
  },
  {
    from: 'submitted',
    what: 'a submitted row that is claimed again',
    set: `state = 'claimed'`,
    breaks: NEVER_CHANGES,
  },
  {
    from: 'submitted',
    what: 'a submitted row that is abandoned with its envelope wiped',
    set: `state = 'abandoned', channel = null, envelope_xdr = null, tx_hash = null,
      inner_hash = null, max_time = null, recorded_at = null, recorded_at_ledger = null`,
    breaks: NEVER_CHANGES,
  },
  {
    from: 'submitted',
    what: 'a final row without a response',
    set: `state = 'failed', finished_at = now()`,
    breaks: 'final_rows_have_one_response',
  },
  {
    from: 'submitted',
    what: 'a final row without an end',
    set: `state = 'failed', response = '{}'`,
    breaks: 'final_rows_have_one_response',
  },
  {
    from: 'submitted',
    what: 'a success on no ledger',
    set: `state = 'succeeded', response = '{}', finished_at = now()`,
    breaks: 'success_has_a_ledger',
  },
  {
    from: 'submitted',
    what: 'a negative fee',
    set: `state = 'failed', response = '{}', finished_at = now(), fee_charged = -1`,
    breaks: 'fee_charged',
  },
  {
    from: 'succeeded',
    what: 'another response to a final row',
    set: `response = '{"success":false}'`,
    breaks: NEVER_CHANGES,
  },
  {
    from: 'succeeded',
    what: 'another state to a final row',
    set: `state = 'failed'`,
    breaks: NEVER_CHANGES,
  },
  {
    from: 'succeeded',
    what: 'another fee to a final row',
    set: 'fee_charged = 0',
    breaks: NEVER_CHANGES,
  },
]

describe('the schema', () => {
  let store: Store
  beforeAll(async () => {
    store = await openEmptyStore()
  })
  afterEach(() => emptyTables(store))
  afterAll(() => store.close())

  const arrange = {
    claimed: async () => {
      await claimWithChannel(store.db, claimRequest('1'))
    },
    submitted: async () => {
      await submit(store, '1')
    },
    succeeded: async () => {
      await submit(store, '1')
      await finishSettlement(store.db, ending('1'))
    },
  }

  it.each(forbidden)('refuses $what', async ({ from, set, breaks }) => {
    await addChannels(store, 1)
    await arrange[from]()
    const before = await findSettlement(store.db, keyOf('1'))
    const change = sql`update settlements set ${sql.raw(set)}`.execute(store.db)
    await expect(change).rejects.toThrow(new RegExp(breaks))
    expect(await findSettlement(store.db, keyOf('1'))).toEqual(before)
  })

  it('refuses a second row for one authorization', async () => {
    await arrange.claimed()
    const copy = sql`insert into settlements (network, payer, nonce, attempt, state, fingerprint,
        scheme, asset, pay_to, amount, sponsor, owner, claimed_at, claim_expires_at)
      select network, payer, nonce, attempt, state, fingerprint,
        scheme, asset, pay_to, amount, sponsor, owner, claimed_at, claim_expires_at
      from settlements`
    await expect(copy.execute(store.db)).rejects.toThrow('one_row_per_authorization')
  })

  it('refuses two settlements with one transaction', async () => {
    await addChannels(store, 2)
    await submit(store, '1')
    const { account: channel } = channelOf(await claimWithChannel(store.db, claimRequest('2')))
    const twin = recording('2', { channel, txHash: sha256('hash of 1') })
    await expect(recordEnvelope(store.db, twin)).rejects.toThrow('settlements_tx_hash_key')
  })

  it('refuses a channel to a second unfinished settlement, whatever its leases are', async () => {
    await addChannels(store, 1)
    await submit(store, '1')
    await claimWithChannel(store.db, claimRequest('2'))
    await sql`update channels set lease_owner = 'one', lease_expires_at = now(),
      lease_settlement = (select id from settlements where nonce = '2')`.execute(store.db)
    await expect(recordEnvelope(store.db, recording('2'))).rejects.toThrow(
      'one_unfinished_settlement_per_channel',
    )
  })

  it('refuses one account as two channels', async () => {
    await addChannels(store, 1)
    const twin = { network, sponsor: 'GOTHER', index: 0, account: 'GCHANNEL0' } as const
    await expect(putChannels(store.db, [twin])).rejects.toThrow('one_row_per_channel_account')
  })

  it('refuses a lease without an end, and one of a settlement without an owner', async () => {
    await addChannels(store, 1)
    const halves = [`lease_owner = 'one'`, 'lease_expires_at = now()']
    for (const half of halves) {
      const change = sql`update channels set ${sql.raw(half)}`.execute(store.db)
      await expect(change).rejects.toThrow('a_lease_has_an_owner_and_an_end')
    }
  })
})
