import { z } from 'zod'
import { networkIds } from '../../../platform/core/caip2.ts'
import { type CelRule, immutable, validations } from '../fields/cel.ts'
import { poolDatabase } from '../fields/database.ts'
import { durationForm } from '../fields/duration.ts'
import {
  atMostMaxFee,
  atMostMaxXlm,
  atomicList,
  duration,
  httpUrl,
  isStroops,
  lumens,
  secretKeyRef,
  stroops,
} from '../fields/fields.ts'
import { hasForm } from '../fields/text-form.ts'
import { sponsorSource } from './sponsor-source.ts'

/** Per sponsor: the index from which a channel's key is derived is below this. */
export const MAX_CHANNELS = 1_000

const DEFAULT_CHANNELS = 8

/** Traffic to these addresses does not leave the machine. */
const LOOPBACK = '^http://(localhost|127([.][0-9]{1,3}){3}|[[]::1])(:[0-9]{1,5})?([/?#].*)?$'

const rpcIsPrivate: CelRule = {
  rule: `self.allowHttp || !has(self.urls) || self.urls.all(url, !url.startsWith('http://') || url.matches('${LOOPBACK}'))`,
  message:
    'urls must be https://, unless they name this machine (localhost, 127.0.0.1, [::1]) or allowHttp is true',
  reason: 'FieldValueInvalid',
  fieldPath: '.urls',
}

const rpcIsNamedOnce: CelRule = {
  rule: 'has(self.urls) != has(self.secretRef)',
  message: 'set either urls or secretRef, a Secret with the URLs',
  reason: 'FieldValueRequired',
}

/** The same endpoint twice is no second one to fail over to. */
const urlsDiffer: CelRule = {
  rule: '!has(self.urls) || self.urls.all(url, self.urls.exists_one(other, other == url))',
  message: 'urls must differ: name each endpoint once',
  reason: 'FieldValueInvalid',
  fieldPath: '.urls',
}

const rpc = z
  .object({
    urls: z
      .array(
        httpUrl(
          'put the whole URL into a Secret and name that in rpc.secretRef, or a header of rpc.headersSecretRef',
        ).describe('Address of one Stellar RPC endpoint.'),
      )
      .min(1)
      .max(8)
      .meta(atomicList)
      .describe(
        'Stellar RPC endpoints of the network, the preferred one first; when one fails or lags, the next is used. A URL with a key of its provider belongs into the Secret of secretRef.',
      )
      .optional(),
    secretRef: secretKeyRef('urls', 'the URLs, with commas between them')
      .optional()
      .describe(
        'In place of urls: a Secret with the whole URLs, for those that hold a key of the provider.',
      ),
    headersSecretRef: secretKeyRef('headers', 'the headers')
      .optional()
      .describe(
        'A Secret with headers of the requests to the endpoints, such as a key of the provider: one in a line, after the origin that gets it, as in https://rpc.example X-Api-Key: KEY.',
      ),
    allowHttp: z
      .boolean()
      .default(false)
      .describe('Allows plain http to another machine; never on stellar:pubnet.'),
  })
  .meta(validations(rpcIsNamedOnce, rpcIsPrivate, urlsDiffer))

const autoscale = z
  .object({
    min: z
      .int()
      .min(1)
      .max(MAX_CHANNELS)
      .optional()
      .describe(
        `Minimum number of channels; ${DEFAULT_CHANNELS} when absent, or max if that is less.`,
      ),
    max: z.int().min(1).max(MAX_CHANNELS).describe('Maximum number of channels.'),
    targetLeaseWait: duration()
      .default('250ms')
      .describe(
        'The pool grows while 5 % of the settlements wait longer than this for a channel. From 1ms to 60s.',
      ),
  })
  .meta(
    validations(
      {
        rule: '!has(self.min) || self.min <= self.max',
        message: 'min must not be above max',
        reason: 'FieldValueInvalid',
        fieldPath: '.min',
      },
      {
        rule: `!${hasForm('self.targetLeaseWait', durationForm)} || duration(self.targetLeaseWait) <= duration('60s')`,
        message: 'targetLeaseWait must be at most 60s',
        reason: 'FieldValueInvalid',
        fieldPath: '.targetLeaseWait',
      },
    ),
  )

/** A default of `min` would refuse a lower `max` for a field that nobody wrote. */
export const leastChannels = ({
  min,
  max,
}: {
  readonly min?: number | undefined
  readonly max: number
}): number => min ?? Math.min(DEFAULT_CHANNELS, max)

const inclusion = z
  .object({
    floorStroops: stroops().default('100').describe('Minimum bid per operation, in stroops.'),
    capStroops: stroops()
      .default('10000')
      .describe('Maximum bid per operation, in stroops, however busy the network is.'),
  })
  .meta(
    validations(
      {
        rule: `!${isStroops('self.floorStroops')} || !${isStroops('self.capStroops')} || int(self.floorStroops) <= int(self.capStroops)`,
        message:
          'floorStroops (100 when left out) must not be above capStroops (10000 when left out)',
        reason: 'FieldValueInvalid',
        fieldPath: '.floorStroops',
      },
      atMostMaxFee('capStroops'),
    ),
  )

const fees = z.object({
  inclusion: inclusion
    .prefault({})
    .describe("What the operator's transactions bid for inclusion in a ledger."),
})

const rotation = z
  .object({
    mode: z
      .enum(['Planned', 'Emergency'])
      .default('Planned')
      .describe(
        'How the pool moves to another sponsor. Planned: no payment fails, and the funds come last. Emergency, when others may know the seed: the funds come first, and settlements of the old sponsor end at once.',
      ),
    sweep: z
      .enum(['Merge', 'Payment', 'None'])
      .default('Merge')
      .describe(
        'What happens to the XLM of the old sponsor at the end. Merge: its account is merged into the new sponsor. Payment: all but its reserve is paid to the new sponsor. None: it stays.',
      ),
  })
  .meta(
    validations({
      rule: "self.mode != 'Emergency' || self.sweep != 'None'",
      message:
        'sweep must be Merge or Payment while mode is Emergency: who knows the seed can take what stays',
      reason: 'FieldValueInvalid',
      fieldPath: '.sweep',
    }),
  )

const publicRpcIsPrivate: CelRule = {
  rule: "self.network != 'stellar:pubnet' || !has(self.rpc.urls) || self.rpc.urls.all(url, url.startsWith('https://'))",
  message: 'rpc.urls must all be https:// on stellar:pubnet',
  reason: 'FieldValueInvalid',
  fieldPath: '.rpc.urls',
}

const publicRpcNeedsNoHttp: CelRule = {
  rule: "self.network != 'stellar:pubnet' || !self.rpc.allowHttp",
  message: 'leave out rpc.allowHttp on stellar:pubnet: its endpoints must be https:// in any case',
  reason: 'FieldValueForbidden',
  fieldPath: '.rpc.allowHttp',
}

/** The desired state of a ChannelPool. */
export const channelPoolSpec = z
  .object({
    network: z
      .enum(networkIds)
      .describe('The Stellar network, by its CAIP-2 id. It cannot be changed.'),
    rpc: rpc.describe('The RPC endpoints of the network: urls or secretRef is required.'),
    sponsor: sponsorSource.describe(
      'The sponsor: the account that pays the fees and the reserves of the channels. secretRef, pkcs11, vault or http says where its key lies. When it names another sponsor, the pool moves to that one; status.rotation says how far it is. Named again before phase Retiring, the old one ends the move.',
    ),
    rotation: rotation.prefault({}).describe('How the pool moves to another sponsor.'),
    database: poolDatabase.describe('The database of the facilitators that use this pool.'),
    channels: z
      .int()
      .min(0)
      .max(MAX_CHANNELS)
      .default(DEFAULT_CHANNELS)
      .describe(
        'Number of channel accounts; each sends one settlement at a time. 0 empties the pool. Ignored while autoscale is set.',
      ),
    autoscale: autoscale
      .optional()
      .describe(
        'The operator chooses the number of channels by how long settlements wait for one.',
      ),
    fees: fees.prefault({}).describe("What the operator's own transactions may cost."),
    minSponsorBalanceXlm: lumens()
      .default('25')
      .describe(
        'The pool is Funded while the sponsor can spend at least this, in XLM; no channel is created that would leave less.',
      ),
    deletionPolicy: z
      .enum(['Retain', 'Retire'])
      .default('Retain')
      .describe(
        'What the deletion of the pool does with the channel accounts: Retain leaves them on the ledger, Retire merges them into the sponsor first.',
      ),
  })
  .meta(
    validations(
      immutable('network', 'create another ChannelPool for the other network'),
      publicRpcIsPrivate,
      publicRpcNeedsNoHttp,
      atMostMaxXlm('minSponsorBalanceXlm'),
    ),
  )
