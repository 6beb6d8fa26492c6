import { type Alert, resource, type Selector, theResource } from './alert.ts'

const each = (metric: string): string => `max by (${resource}) (${metric})`

const condition = (of: Selector, matchers: string): string =>
  `(${each(of('svc_resource_condition', matchers))} > 0)`

const isBeingDeleted = (of: Selector): string => each(of('svc_resource_deletion_timestamp_seconds'))

const isPaused = (of: Selector): string => `(${each(of('svc_resource_paused'))} > 0)`

/** The labels that the series of a rotation and of its pool have in common. */
const rotating = 'job, namespace, name, channelpool'

/** Alerts about Facilitators and ChannelPools, from the status that an operator writes. */
export const resourceAlerts: readonly Alert[] = [
  {
    name: 'X402ObjectNotReady',
    scope: 'resource',
    severity: 'warning',
    for: '15m',
    expr: (of) => `${condition(of, 'type="Ready",status!="True"')} unless ${isBeingDeleted(of)}`,
    summary: 'A Facilitator or ChannelPool is not ready.',
    description: `${theResource} has not been ready for 15 minutes: its condition Ready says why.`,
  },
  {
    name: 'X402ObjectDegraded',
    scope: 'resource',
    severity: 'warning',
    for: '30m',
    expr: (of) => `${condition(of, 'type="Degraded",status="True"')} unless ${isBeingDeleted(of)}`,
    summary: 'A Facilitator or ChannelPool differs from its spec.',
    description: `${theResource} has been degraded for 30 minutes: payments may still be served, and its condition Degraded says what differs from the spec.`,
  },
  {
    name: 'X402PoolNotFunded',
    scope: 'resource',
    severity: 'warning',
    for: '15m',
    expr: (of) => {
      const notFunded = 'kind="ChannelPool",type="Funded",status="False"'
      return `${condition(of, notFunded)} unless ${isBeingDeleted(of)}`
    },
    summary: 'The sponsor of a ChannelPool has too little XLM.',
    description: `The sponsor of ${theResource} can spend less than minSponsorBalanceXlm: its condition Funded says how much to send, and to which address.`,
  },
  {
    name: 'X402ObjectNotReconciled',
    scope: 'resource',
    severity: 'warning',
    for: '15m',
    expr: (of) => {
      const generation = each(of('svc_resource_generation'))
      // An object without a status has been seen at generation 0.
      const observed = `(${each(of('svc_resource_observed_generation'))} or ${generation} * 0)`
      return `(${generation} > ${observed}) unless ${isPaused(of)} unless ${isBeingDeleted(of)}`
    },
    summary: 'A change of a Facilitator or ChannelPool is not acted upon.',
    description: `The operator has not acted upon the present spec of ${theResource} for 15 minutes: its status describes an earlier generation, or there is none.`,
  },
  {
    name: 'X402ObjectPaused',
    scope: 'resource',
    severity: 'info',
    for: '24h',
    expr: isPaused,
    summary: 'A Facilitator or ChannelPool is still paused.',
    description: `${theResource} has been paused for 24 hours: the operator repairs nothing of it until the annotation x402.svc.dev/paused is removed.`,
  },
  {
    name: 'X402RotationStuck',
    scope: 'resource',
    severity: 'warning',
    for: '5m',
    expr: (of) => {
      // How long buyers may have signed for the old authority is up to the spec.
      const started = of('svc_pool_rotation_phase_started_seconds', 'phase!="Expiring"')
      const isPausedPool = `max by (${rotating}) (${of('svc_resource_paused', 'kind="ChannelPool"')} > 0)`
      return `time() - (max by (${rotating}, phase) (${started}) unless on (${rotating}) ${isPausedPool}) > 3600`
    },
    summary: 'A ChannelPool does not get on with the change of its sponsor.',
    description:
      'The change of the sponsor of ChannelPool {{ $labels.namespace }}/{{ $labels.name }} has been in phase {{ $labels.phase }} for {{ $value | humanizeDuration }}: status.rotation.message says what it waits for.',
  },
  {
    name: 'X402DeletionStuck',
    scope: 'resource',
    severity: 'warning',
    for: '1m',
    expr: (of) => `time() - ${isBeingDeleted(of)} > 900`,
    summary: 'The deletion of a Facilitator or ChannelPool does not finish.',
    description: `The deletion of ${theResource} started {{ $value | humanizeDuration }} ago: its conditions say what it waits for.`,
  },
]
