import { z } from 'zod'
import { networkIds } from '../core/caip2.ts'
import { type CelRule, immutable, validations } from './cel.ts'
import { atomicList, duration, httpUrl, lumens, secretKeyRef, stroops } from './fields.ts'

/** As many as one sponsor can have: the channels' keys are derived by an index below it. */
export const MAX_CHANNELS = 1_000

/** No other machine can listen in on these. */
const LOOPBACK = '^http://(localhost|127([.][0-9]{1,3}){3}|[[]::1])(:[0-9]{1,5})?([/?#].*)?$'

const rpcIsPrivate: CelRule = {
  rule: `self.allowHttp || self.urls.all(url, url.startsWith('https://') || url.matches('${LOOPBACK}'))`,
  message:
    'urls must be https://, unless they name this machine (localhost, 127.0.0.1, [::1]) or allowHttp is true',
  reason: 'FieldValueInvalid',
  fieldPath: '.urls',
}

const rpc = z
  .object({
    urls: z
      .array(httpUrl().describe('Address of one Stellar RPC endpoint.'))
      .min(1)
      .max(8)
      .meta(atomicList)
      .describe(
        'Stellar RPC endpoints of the network, the preferred ones first; when one fails or lags, the next is asked.',
      ),
    allowHttp: z
      .boolean()
      .default(false)
      .describe('Lets urls be plain http to another machine; never on stellar:pubnet.'),
  })
  .meta(validations(rpcIsPrivate))

const autoscale = z
  .object({
    min: z
      .int()
      .min(1)
      .max(MAX_CHANNELS)
      .default(8)
      .describe('The fewest channels there shall be.'),
    max: z.int().min(1).max(MAX_CHANNELS).describe('The most channels there shall be.'),
    targetLeaseWait: duration()
      .default('250ms')
      .describe(
        'The pool grows while 5 % of the settlements wait longer than this for a channel. From 1ms to 60s.',
      ),
  })
  .meta(
    validations(
      {
        rule: 'self.min <= self.max',
        message: 'min must not be above max',
        reason: 'FieldValueInvalid',
        fieldPath: '.min',
      },
      {
        rule: "duration(self.targetLeaseWait) <= duration('60s')",
        message: 'targetLeaseWait must be at most 60s',
        reason: 'FieldValueInvalid',
        fieldPath: '.targetLeaseWait',
      },
    ),
  )

const inclusion = z
  .object({
    floorStroops: stroops().default('100').describe('The least bid per operation, in stroops.'),
    capStroops: stroops()
      .default('10000')
      .describe('The highest bid per operation, whatever the network charges, in stroops.'),
  })
  .meta(
    validations({
      rule: 'int(self.floorStroops) <= int(self.capStroops)',
      message: 'floorStroops must not be above capStroops',
      reason: 'FieldValueInvalid',
      fieldPath: '.floorStroops',
    }),
  )

const fees = z.object({
  inclusion: inclusion
    .prefault({})
    .describe("What the operator's transactions bid to be included in a ledger."),
})

const publicRpcIsPrivate: CelRule = {
  rule: "self.network != 'stellar:pubnet' || self.rpc.urls.all(url, url.startsWith('https://'))",
  message: 'rpc.urls must all be https:// on stellar:pubnet',
  reason: 'FieldValueInvalid',
  fieldPath: '.rpc.urls',
}

/** What a ChannelPool is asked to be. */
export const channelPoolSpec = z
  .object({
    network: z
      .enum(networkIds)
      .describe('The Stellar network, by its CAIP-2 id. It cannot be changed.'),
    rpc: rpc.describe('How the network is reached.'),
    sponsorSecretRef: secretKeyRef('secret', 'the seed (S...) of the sponsor').describe(
      'The sponsor: the account that pays the fees and the reserves of the channels. It may be changed while the pool has no channels.',
    ),
    databaseSecretRef: secretKeyRef('url', 'the postgres:// URL').describe(
      'The database that the facilitators in front of this pool use. It cannot be changed.',
    ),
    channels: z
      .int()
      .min(0)
      .max(MAX_CHANNELS)
      .default(8)
      .describe(
        'Channel accounts there shall be; each sends one settlement at a time. 0 empties the pool. Ignored while autoscale is set.',
      ),
    autoscale: autoscale
      .optional()
      .describe('Lets the operator choose the number of channels by how long settlements wait.'),
    fees: fees.prefault({}).describe("What the operator's own transactions may cost."),
    minSponsorBalanceXlm: lumens()
      .default('25')
      .describe('Below this balance the pool is reported as not Funded, in XLM.'),
    deletionPolicy: z
      .enum(['Retain', 'Retire'])
      .default('Retain')
      .describe(
        'What a deletion does with the channel accounts: Retain leaves them on the ledger, Retire merges them into the sponsor first.',
      ),
  })
  .meta(
    validations(
      immutable('network', 'create another ChannelPool for the other network'),
      immutable('databaseSecretRef', 'create another ChannelPool, or change what the Secret holds'),
      publicRpcIsPrivate,
    ),
  )

export type ChannelPoolSpec = z.output<typeof channelPoolSpec>
