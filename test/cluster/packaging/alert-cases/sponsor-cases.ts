import type { AlertCase } from './alert-case.ts'
import { onNetwork, onTestnet } from './series.ts'

const spendable = `svc_sponsor_spendable_stroops{${onNetwork}}`
const minimum = `svc_sponsor_minimum_stroops{${onNetwork}}`
const failed = (reason: string): string =>
  `svc_settlement_failures_total{${onNetwork},reason="${reason}"}`
const answered = (outcome: string, reason: string): string =>
  `svc_settlements_total{${onNetwork},outcome="${outcome}",reason="${reason}"}`
const unavailable = 'settle_exact_stellar_sponsor_unavailable'

/** Eight hours, in which every settlement is refused with HTTP 200. */
const dry = {
  // 1 XLM, all of it spendable, and a reserve of 5 XLM.
  [spendable]: '10000000x500',
  [minimum]: '50000000x500',
  [answered('success', '')]: '0x500',
  [answered('failure', unavailable)]: '0+1x500',
  [failed(unavailable)]: '0+1x500',
}

export const sponsorCases: readonly AlertCase[] = [
  {
    alert: 'X402SponsorDry',
    does: 'fires for a flat balance below the reserve',
    series: dry,
    at: '8h',
    labels: onTestnet,
    description:
      'On stellar:testnet the sponsor of shop/payments can spend 10M stroops, less than its reserve or one settlement: settlements are refused, with HTTP 200, until it gets XLM.',
  },
  {
    alert: 'X402SponsorDry',
    does: 'fires when reserves lock the whole balance',
    series: { [spendable]: '0x30', [minimum]: '400000x30' },
    at: '10m',
    labels: onTestnet,
    description:
      'On stellar:testnet the sponsor of shop/payments can spend 0 stroops, less than its reserve or one settlement: settlements are refused, with HTTP 200, until it gets XLM.',
  },
  {
    alert: 'X402SponsorDry',
    does: 'does not fire while settlements under way promise the last XLM for a minute',
    series: { [spendable]: '60000000x5 40000000 60000000x20', [minimum]: '50000000x30' },
    at: '8m',
  },
  {
    alert: 'X402SponsorBalanceLow',
    does: 'leaves a balance that is dry already to the other alert',
    series: dry,
    at: '8h',
  },
  {
    alert: 'X402SettlementsFailing',
    does: 'fires for refusals with HTTP 200',
    series: dry,
    at: '8h',
    labels: { ...onTestnet, reason: unavailable },
    description:
      'On stellar:testnet 100% of the settlements of shop/payments fail with settle_exact_stellar_sponsor_unavailable, which neither payer nor recipient can cause.',
  },
  {
    alert: 'X402SettlementsFailing',
    does: 'does not let refused payments of one payer hide failures',
    series: {
      [answered('success', '')]: '0+4x60',
      [answered('failure', 'insufficient_funds')]: '0+95x60',
      [failed('trapped')]: '0+1x60',
    },
    at: '40m',
    labels: { ...onTestnet, reason: 'trapped' },
    description:
      'On stellar:testnet 20% of the settlements of shop/payments fail with trapped, which neither payer nor recipient can cause.',
  },
  {
    alert: 'X402SettlementsFailing',
    does: 'does not fire for what payers cause, however often',
    series: {
      [answered('success', '')]: '0+1x60',
      [answered('failure', 'insufficient_funds')]: '0+99x60',
      [failed(unavailable)]: '0x60',
    },
    at: '40m',
  },
  {
    alert: 'X402SettlementsFailing',
    does: 'does not fire for a single failure among few settlements',
    series: { [answered('success', '')]: '0 1x60', [failed('trapped')]: '0x20 1x40' },
    at: '32m',
  },
]
