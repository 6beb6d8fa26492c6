import { z } from 'zod'
import { rotationPhases } from '../../../payments/channels/rotation/phase-names.ts'
import { conditionList, MAX_MESSAGE_LENGTH } from '../fields/conditions.ts'
import { atomicList, count, labelName, lumens, setList, timestamp } from '../fields/fields.ts'
import { channelPoolConditionTypes } from './conditions.ts'
import { sponsorSourceOf } from './sponsor-source.ts'

/** Most entries of a list of a status; the counts have the totals. */
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
  wanted: count().describe(
    'Channels that the pool should have: spec.channels, or the decision of autoscale.',
  ),
  ready: count().describe('Channels that settlements can lease.'),
  inUse: count().describe('Channels that settlements used at the last observation.'),
  draining: count().describe('Surplus channels that wait for their settlements to end.'),
  quarantined: count().describe(
    'Channels that are no longer leased because their sequence number is stuck.',
  ),
  accounts: count().describe(
    'Channel accounts of this sponsor on the ledger, in any state; with its settlement authority while the pool should have no channels.',
  ),
})

const sponsor = z.object({
  address: account('G').describe('Address of the sponsor, to send XLM to.'),
  source: sponsorSourceOf()
    .optional()
    .describe('spec.sponsor of the sponsor that is in use, whatever the spec names by now.'),
  balanceXlm: lumens()
    .optional()
    .describe(
      'Its balance at the last observation, in XLM, rounded down; absent before the first.',
    ),
  spendableXlm: lumens()
    .optional()
    .describe(
      'What it could spend then, in XLM: its balance without the reserves that the ledger locks and without the maximum fees of settlements under way.',
    ),
  runwayHours: z
    .int()
    .min(0)
    .max(1_000_000)
    .optional()
    .describe(
      'Hours until the balance is spent at the rate of the last hour; absent while nothing is spent.',
    ),
})

const authority = z.object({
  onLedger: z.boolean().describe('Whether the ledger has its account.'),
})

const lastTransaction = z.object({
  kind: z.enum(['Create', 'Merge']).describe('Whether it created or merged channel accounts.'),
  hash: txHash().describe('Hash of the transaction.'),
  channels: count().describe('Number of accounts that it created or merged.'),
  ledger: z
    .int()
    .min(1)
    .max(4_294_967_295)
    .optional()
    .describe('Sequence of the ledger that includes it.'),
  at: timestamp().describe('When the operator saw it on the ledger.'),
})

const autoscale = z.object({
  channels: count().describe('Channels that the pool should have.'),
  changedAt: timestamp().describe('When that number last changed.'),
  idleSince: timestamp().optional().describe('Since when fewer channels would have been enough.'),
})

const quarantinedChannel = z.object({
  index: count().describe("Index from which the channel's key is derived."),
  account: account('G').describe('Address of the channel.'),
  because: z.string().max(256).describe('Why it is quarantined.'),
})

const deletion = z.object({
  policy: z
    .enum(['Retain', 'Retire'])
    .describe('deletionPolicy at the start of the deletion; Retain can no longer become Retire.'),
  startedAt: timestamp().describe('When the operator started to clean up.'),
  accountsLeft: count().describe('Channel accounts that still have to be merged.'),
  unfinished: count().describe('Settlements that are not final and delay the deletion.'),
  unfinishedHashes: z
    .array(txHash().describe('Hash of their transaction.'))
    .max(MAX_SAMPLES)
    .meta(atomicList)
    .describe('Some of those settlements, oldest first; see `svc settlements show`.'),
})

const rotationEnd = z.object({
  address: account('G')
    .optional()
    .describe('Address of the sponsor; absent until the operator has read its seed.'),
  source: sponsorSourceOf().describe('Its spec.sponsor.'),
  balanceXlm: lumens()
    .optional()
    .describe('Of the old sponsor: its balance when the rotation left phase Checking, in XLM.'),
})

const rotationAccount = z.object({
  ledger: z
    .int()
    .min(0)
    .max(4_294_967_295)
    .describe('The last ledger whose movements are in these sums.'),
  at: timestamp().describe('When the operator read it.'),
  balanceXlm: lumens().describe('Balance of the old sponsor after that ledger, in XLM.'),
  receivedXlm: lumens().describe('What came to it, from anyone, in XLM.'),
  sweptXlm: lumens().describe('What it sent to the new sponsor, in XLM.'),
  takenXlm: lumens().describe(
    'What it sent to anyone else, in XLM: nothing of that is the operator.',
  ),
  feesXlm: lumens().describe('What the ledger charged it for transactions, in XLM.'),
})

const rotation = z.object({
  phase: z.enum(rotationPhases).describe('What is done now; Done and Aborted are its ends.'),
  mode: z.enum(['Planned', 'Emergency']).describe('spec.rotation.mode as the rotation follows it.'),
  step: z
    .int()
    .min(0)
    .max(1_000_000_000)
    .describe('Rises with each change of the phase, and never falls.'),
  aborting: z
    .boolean()
    .describe('Whether the pool goes back to the old sponsor: the spec names it again.'),
  serving: z
    .enum(['From', 'To'])
    .describe('Whose channels the pods are to use: those of the old sponsor or of the new one.'),
  holdsSecrets: z
    .boolean()
    .describe(
      'Whether both Secrets have the finalizer x402.svc.dev/sponsor, or are about to get or to lose it.',
    ),
  from: rotationEnd.describe('The old sponsor.'),
  to: rotationEnd.describe('The new sponsor.'),
  channelsMoved: z
    .string()
    .max(32)
    .describe('Ready channels of the new sponsor, and those it should have, such as 8/8.'),
  startedAt: timestamp().describe('When the rotation began.'),
  since: timestamp().describe('When its phase began.'),
  message: z
    .string()
    .max(MAX_MESSAGE_LENGTH)
    .describe('What is done, what it waits for, or what is in the way.'),
  blocked: z.boolean().describe('Whether it goes on only after an administrator has acted.'),
  account: rotationAccount
    .optional()
    .describe(
      'What became of the XLM of the old sponsor since the phase Checking, to the stroop, by the events of the ledger.',
    ),
  sweptXlm: lumens().optional().describe('What the old sponsor has sent to the new one, in XLM.'),
  lostXlm: lumens()
    .optional()
    .describe(
      'Emergency, at the end: what left the old sponsor and did not reach the new one, in XLM: fees, and what others took.',
    ),
  transaction: txHash()
    .optional()
    .describe('Hash of the last transaction that sent XLM to the new sponsor.'),
})

const summary = z.object({
  channels: z.string().max(32).describe('Ready and desired channels, such as 8/8.'),
})

/** The observed state of a ChannelPool and its channels. */
export const channelPoolStatus = z.object({
  observedGeneration: z
    .int()
    .min(0)
    .optional()
    .describe('metadata.generation of the spec that this status describes.'),
  conditions: conditionList(channelPoolConditionTypes).optional(),
  summary: summary.optional().describe('For the columns of kubectl get.'),
  channels: channels.optional().describe('Numbers of channels.'),
  sponsor: sponsor
    .optional()
    .describe('The account that pays; absent until the operator has read its seed.'),
  authority: authority
    .optional()
    .describe(
      'The settlement authority of the sponsor, for the scheme upto: an account that locks 1 XLM, which the operator creates with the channels and merges after the last of them.',
    ),
  storeId: z
    .string()
    .max(64)
    .optional()
    .describe(
      'Id of the database, with which the operator marks the sponsor on the ledger; absent when the database has none yet.',
    ),
  takenOver: z
    .string()
    .max(64)
    .optional()
    .describe(
      'Id of the store from which the annotation take-over has taken the sponsor. It does not do so again, unless it is removed and set again.',
    ),
  lastTransaction: lastTransaction
    .optional()
    .describe('The last transaction that created or merged channels.'),
  autoscale: autoscale.optional().describe('The last decision of autoscale.'),
  quarantined: z
    .array(quarantinedChannel.describe('One quarantined channel.'))
    .max(MAX_SAMPLES)
    .meta(atomicList)
    .optional()
    .describe('Channels with a stuck sequence number, the first 20.'),
  usedBy: z
    .array(labelName().describe('Name of one Facilitator.'))
    .max(MAX_SAMPLES)
    .meta(setList)
    .optional()
    .describe('Facilitators that name the pool, the first 20 by name.'),
  replicas: count()
    .optional()
    .describe('spec.replicas of the Facilitators that name the pool, together.'),
  rotation: rotation.optional().describe('The last change of the sponsor, under way or ended.'),
  deletion: deletion
    .optional()
    .describe('Progress of the clean-up; absent unless the pool is being deleted.'),
})

export type ChannelPoolStatus = z.output<typeof channelPoolStatus>
