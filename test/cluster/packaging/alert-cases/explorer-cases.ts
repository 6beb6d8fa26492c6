import type { AlertCase } from './alert-case.ts'
import { ofPayments, onNetwork, onTestnet, payments } from './series.ts'

const ofNetwork = (metric: string, pod: string): string => `${metric}{${onNetwork},pod="${pod}"}`
const lag = (pod: string): string => ofNetwork('svc_explorer_lag_ledgers', pod)
const last = (pod: string): string => ofNetwork('svc_explorer_last_ledger', pod)
const gaps = (pod: string): string => ofNetwork('svc_explorer_gap_ledgers', pod)
const ingesting = (pod: string): string => `svc_explorer_ingesting{${payments},pod="${pod}"}`

const behind =
  'The explorer of shop/payments does not keep up with the ledgers of stellar:testnet: the latest payments are missing in its feed and its figures.'

export const explorerCases: readonly AlertCase[] = [
  {
    alert: 'X402ExplorerBehind',
    does: 'fires when the process that ingests lags by more than 60 ledgers',
    series: { [lag('a')]: '100x30', [ingesting('a')]: '1x30', [last('a')]: '0+10x30' },
    at: '20m',
    labels: onTestnet,
    description: behind,
  },
  {
    alert: 'X402ExplorerBehind',
    does: 'fires when nothing is read any more, whatever the lag was last',
    series: { [lag('a')]: '1x40', [ingesting('a')]: '1x40', [last('a')]: '0+10x5 50x35' },
    at: '35m',
    labels: onTestnet,
    description: behind,
  },
  {
    alert: 'X402ExplorerBehind',
    does: 'does not fire for the old value of a process that no longer ingests',
    series: {
      [lag('a')]: '100x30',
      [ingesting('a')]: '0x30',
      [last('a')]: '50x30',
      [lag('b')]: '1x30',
      [ingesting('b')]: '1x30',
      [last('b')]: '60+10x30',
    },
    at: '20m',
  },
  {
    alert: 'X402ExplorerNotIngesting',
    does: 'fires when explorer pods run and none of them ingests',
    series: { [ingesting('a')]: '0x30', [ingesting('b')]: '1x5 0x25' },
    at: '20m',
    labels: ofPayments,
    description:
      'Explorer pods of shop/payments run, but none of them ingests: no new payment appears. Ledgers that the RPC endpoints drop meanwhile are lost to the explorer.',
  },
  {
    alert: 'X402ExplorerNotIngesting',
    does: 'does not fire while one ingests, or takes over from another',
    series: { [ingesting('a')]: '1x15 0x15', [ingesting('b')]: '0x16 1x14' },
    at: '20m',
  },
  {
    alert: 'X402ExplorerGaps',
    does: 'fires when ledgers were lost within the hour, also in another pod',
    series: { [gaps('a')]: '5x70', [gaps('b')]: '_x70 17x20' },
    at: '1h15m',
    labels: onTestnet,
    description:
      '12 more ledgers of stellar:testnet are lost to the explorer of shop/payments, since no RPC endpoint retained them when their turn came: their payments are missing in its figures.',
  },
  {
    alert: 'X402ExplorerGaps',
    does: 'does not fire for ledgers that were lost earlier',
    series: { [gaps('a')]: '5x100' },
    at: '1h15m',
  },
]
