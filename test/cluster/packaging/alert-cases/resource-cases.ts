import type { AlertCase } from './alert-case.ts'
import { facilitator, ofFacilitator, ofPool, ofRotatingPool, pool, rotatingPool } from './series.ts'

const condition = (of: string, type: string, status: string): string =>
  `svc_resource_condition{${of},type="${type}",status="${status}"}`
const deletion = `svc_resource_deletion_timestamp_seconds{${pool}}`
const generation = `svc_resource_generation{${facilitator}}`
const observed = `svc_resource_observed_generation{${facilitator}}`
const paused = `svc_resource_paused{${facilitator}}`

const rotation = (phase: string): string =>
  `svc_pool_rotation_phase_started_seconds{${rotatingPool},phase="${phase}",blocked="false"}`

const notReady =
  'ChannelPool shop/testnet has not been ready for 15 minutes: its condition Ready says why.'
const notReconciled =
  'The operator has not acted upon the present spec of Facilitator shop/payments for 15 minutes: its status describes an earlier generation, or there is none.'

export const resourceCases: readonly AlertCase[] = [
  {
    alert: 'X402ObjectNotReady',
    does: 'fires after 15 minutes, even if the reason changed',
    series: {
      [condition(pool, 'Ready', 'False')]: '1x10 _x20',
      [condition(pool, 'Ready', 'Unknown')]: '_x10 1x20',
    },
    at: '20m',
    labels: ofPool,
    description: notReady,
  },
  {
    alert: 'X402ObjectNotReady',
    does: 'does not fire for a ready object',
    series: { [condition(pool, 'Ready', 'True')]: '1x30' },
    at: '20m',
  },
  {
    alert: 'X402ObjectNotReady',
    does: 'does not fire for an object that is being deleted',
    series: { [condition(pool, 'Ready', 'False')]: '1x30', [deletion]: '0x30' },
    at: '20m',
  },
  {
    alert: 'X402ObjectDegraded',
    does: 'fires for a Facilitator that serves, and whose rollout is held or whose preflight failed',
    series: {
      [condition(facilitator, 'Ready', 'True')]: '1x60',
      [condition(facilitator, 'Degraded', 'True')]: '1x60',
    },
    at: '40m',
    labels: ofFacilitator,
    description:
      'Facilitator shop/payments has been degraded for 30 minutes: payments may still be served, and its condition Degraded says what differs from the spec.',
  },
  {
    alert: 'X402ObjectDegraded',
    does: 'fires for a ChannelPool',
    series: { [condition(pool, 'Degraded', 'True')]: '1x60' },
    at: '40m',
    labels: ofPool,
    description:
      'ChannelPool shop/testnet has been degraded for 30 minutes: payments may still be served, and its condition Degraded says what differs from the spec.',
  },
  {
    alert: 'X402ObjectDegraded',
    does: 'does not fire when it passes',
    series: {
      [condition(pool, 'Degraded', 'True')]: '1x20 _x40',
      [condition(pool, 'Degraded', 'False')]: '_x20 1x40',
    },
    at: '50m',
  },
  {
    alert: 'X402PoolNotFunded',
    does: 'fires while the sponsor is short, although the pool is ready',
    series: {
      [condition(pool, 'Ready', 'True')]: '1x30',
      [condition(pool, 'Funded', 'False')]: '1x30',
    },
    at: '20m',
    labels: ofPool,
    description:
      'The sponsor of ChannelPool shop/testnet can spend less than minSponsorBalanceXlm: its condition Funded says how much to send, and to which address.',
  },
  {
    alert: 'X402PoolNotFunded',
    does: 'does not fire for a funded pool',
    series: { [condition(pool, 'Funded', 'True')]: '1x30' },
    at: '20m',
  },
  {
    alert: 'X402ObjectNotReconciled',
    does: 'fires when the status describes an earlier generation',
    series: { [generation]: '3x5 4x30', [observed]: '3x35', [paused]: '0x35' },
    at: '25m',
    labels: ofFacilitator,
    description: notReconciled,
  },
  {
    alert: 'X402ObjectNotReconciled',
    does: 'fires when no operator ever wrote a status',
    series: { [generation]: '1x35', [paused]: '0x35' },
    at: '20m',
    labels: ofFacilitator,
    description: notReconciled,
  },
  {
    alert: 'X402ObjectNotReconciled',
    does: 'does not fire while the object is paused',
    series: { [generation]: '4x35', [observed]: '3x35', [paused]: '1x35' },
    at: '25m',
  },
  {
    alert: 'X402RotationStuck',
    does: 'fires when a phase lasts longer than an hour, blocked or not',
    series: { [rotation('Moving')]: '0x90' },
    at: '66m',
    labels: { ...ofRotatingPool, phase: 'Moving' },
    description:
      'The change of the sponsor of ChannelPool shop/testnet has been in phase Moving for 1h 6m 0s: status.rotation.message says what it waits for.',
  },
  {
    alert: 'X402RotationStuck',
    does: 'does not fire while each phase is shorter',
    series: { [rotation('Provisioning')]: '0x50 _x40', [rotation('Moving')]: '_x51 3060x39' },
    at: '80m',
  },
  {
    alert: 'X402RotationStuck',
    does: 'does not fire while what buyers signed expires, nor while the pool is paused',
    series: {
      [rotation('Expiring')]: '0x90',
      [rotation('Moving')]: '0x90',
      [`svc_resource_paused{${pool}}`]: '1x90',
    },
    at: '80m',
  },
  {
    alert: 'X402ObjectPaused',
    does: 'fires after a day',
    series: { [paused]: '1x1500' },
    at: '1460m',
    labels: ofFacilitator,
    description:
      'Facilitator shop/payments has been paused for 24 hours: the operator repairs nothing of it until the annotation x402.svc.dev/paused is removed.',
  },
  {
    alert: 'X402ObjectPaused',
    does: 'does not fire for a pause of some hours',
    series: { [paused]: '1x600 0x900' },
    at: '1460m',
  },
  {
    alert: 'X402DeletionStuck',
    does: 'fires when a deletion takes more than 15 minutes',
    series: { [deletion]: '0x30' },
    at: '20m',
    labels: ofPool,
    description:
      'The deletion of ChannelPool shop/testnet started 20m 0s ago: its conditions say what it waits for.',
  },
  {
    alert: 'X402DeletionStuck',
    does: 'does not fire before that',
    series: { [deletion]: '0x30' },
    at: '14m',
  },
]
