import { z } from 'zod'
import { channelPoolConditionTypes } from './channel-pool-conditions.ts'
import { conditionList } from './conditions.ts'
import { atomicList, count, lumens, timestamp } from './fields.ts'

/** A status names at most so many things of a kind; how many there are is in the counts. */
export const MAX_SAMPLES = 20

const account = (prefix: 'G' | 'C') =>
  z
    .string()
    .length(56)
    .regex(new RegExp(`^${prefix}[A-Z2-7]{55}$`))

const txHash = () =>
  z
    .string()
    .length(64)
    .regex(/^[0-9a-f]{64}$/)

const channels = z.object({
  wanted: count().describe('Channels there shall be: spec.channels, or what autoscale decided.'),
  ready: count().describe('Channels that settlements can lease.'),
  inUse: count().describe('Channels that a settlement uses, when last looked at.'),
  draining: count().describe('Channels that are not wanted any more and wait to be idle.'),
  quarantined: count().describe('Channels taken out because their sequence number is stuck.'),
  accounts: count().describe(
    'Channel accounts of this sponsor that the ledger has, whatever their state. The sponsor may be changed while there is none.',
  ),
})

const sponsor = z.object({
  address: account('G').describe('Address of the sponsor, to send XLM to.'),
  balanceXlm: lumens()
    .optional()
    .describe('Its balance when last looked at, in XLM; absent while it was never read.'),
  runwayHours: z
    .int()
    .min(0)
    .max(1_000_000)
    .optional()
    .describe(
      'Hours until the balance is spent at the present rate; absent while nothing is spent.',
    ),
})

const lastTransaction = z.object({
  kind: z.enum(['Create', 'Merge']).describe('What it did with channel accounts.'),
  hash: txHash().describe('Hash of the transaction.'),
  channels: count().describe('How many accounts it created or merged.'),
  ledger: z.int().min(1).max(4_294_967_295).optional().describe('Sequence of the ledger it is in.'),
  at: timestamp().describe('When the operator saw it on the ledger.'),
})

const autoscale = z.object({
  channels: count().describe('How many channels there shall be.'),
  changedAt: timestamp().describe('When that number changed last.'),
  idleSince: timestamp().optional().describe('Since when fewer would have been enough.'),
})

const quarantinedChannel = z.object({
  index: count().describe("Index that the channel's key is derived by."),
  account: account('G').describe('Address of the channel.'),
  because: z.string().max(256).describe('What is wrong with it.'),
})

const deletion = z.object({
  policy: z
    .enum(['Retain', 'Retire'])
    .describe('deletionPolicy when the deletion began; Retain cannot become Retire any more.'),
  startedAt: timestamp().describe('When the operator began to clean up.'),
  accountsLeft: count().describe('Channel accounts that still have to be merged.'),
  unfinished: count().describe('Settlements that are not final and keep the pool.'),
  unfinishedHashes: z
    .array(txHash().describe('Hash of a transaction that was sent.'))
    .max(MAX_SAMPLES)
    .meta(atomicList)
    .describe('Some of those settlements, oldest first; `svc settlements show` tells more.'),
})

const summary = z.object({
  channels: z.string().max(32).describe('Ready and wanted channels, such as 8/8.'),
})

/** What the operator saw of a ChannelPool and its channels. */
export const channelPoolStatus = z.object({
  observedGeneration: z
    .int()
    .min(0)
    .optional()
    .describe('metadata.generation of the spec that this status is about.'),
  conditions: conditionList(channelPoolConditionTypes).optional(),
  summary: summary.optional().describe('What kubectl get shows in one column.'),
  channels: channels.optional().describe('How many channels there are.'),
  sponsor: sponsor.optional().describe('The account that pays; absent until its seed was read.'),
  lastTransaction: lastTransaction
    .optional()
    .describe('The last transaction that created or merged channels.'),
  autoscale: autoscale.optional().describe('What autoscale decided last.'),
  quarantined: z
    .array(quarantinedChannel.describe('One such channel.'))
    .max(MAX_SAMPLES)
    .meta(atomicList)
    .optional()
    .describe('Channels with a stuck sequence number, the first 20.'),
  deletion: deletion
    .optional()
    .describe('How far the clean-up is; absent unless it is being deleted.'),
})

export type ChannelPoolStatus = z.output<typeof channelPoolStatus>
