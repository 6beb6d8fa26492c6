import { describe, expect, test } from 'vitest'
import { BASE_RESERVE } from '../../../src/localnet/ledger/reserves.ts'
import { QueueCapacity } from '../../../src/payments/engine/limits/capacity/queue-capacity.ts'
import { networkSettings } from '../../../src/settings/sections/network-settings.ts'
import { loadServeConfig } from '../../../src/settings/serve.ts'
import { secretOfSeed } from '../../../src/stellar/accounts/signer.ts'
import { readPage } from './markdown.ts'

/** docs/production.md: what follows from the code's constants, and from other figures of the page. */

const page = readPage('docs/production.md')
/** Without the ends of lines within sentences. */
const prose = page.replaceAll('\n', ' ')
const config = loadServeConfig({
  STORE: 'memory',
  TESTNET_RPC_URL: 'https://rpc.example',
  TESTNET_SPONSOR_SECRET: secretOfSeed(new Uint8Array(32).fill(1)),
})
const [network] = config.networks
const XLM = 10_000_000
const LEDGER_SECONDS = 5

/** The cells of the rows whose first cell is this. */
const rows = (first: string): readonly (readonly string[])[] =>
  page
    .split('\n')
    .filter((line) => line.startsWith(`| ${first} |`))
    .map((line) => line.split(' | ').map((cell) => cell.replaceAll(/^\| | \|$/g, '')))
const cell = (first: string, column = 1): string => rows(first)[0]?.[column] ?? ''
const numberIn = (text: string): number => Number(text.replaceAll(/[^\d.]/g, ''))
const grouped = (value: number): string => value.toLocaleString('en-US')

const lowest = numberIn(cell('`G...` payer, lowest bid'))
const inclusionPrice = 2 * Number(network?.inclusionFee.floorStroops)
const highestPrice = 2 * Number(network?.inclusionFee.capStroops)

describe('the cost of a settlement', () => {
  test('is the sum of its parts', () => {
    const parts = ['inclusion fee', 'non-refundable resource fee', 'rent', 'events']
    const sum = parts.map((part) => numberIn(cell(part))).reduce((a, b) => a + b)
    expect(sum).toBe(lowest)
    expect(numberIn(cell('inclusion fee'))).toBe(inclusionPrice)
    expect(prose).toContain(`**${grouped(lowest)} stroops** (${lowest / XLM} XLM)`)
  })

  test('is limited by the settings', () => {
    const [[name, highest = ''] = []] = [
      page.split('\n').find((line) => line.includes('payer, highest bid')) ?? '',
    ].map((line) => line.split(' | '))
    expect(name).toContain(`${grouped(highestPrice / 2)} for each operation`)
    expect(numberIn(highest)).toBe(lowest - inclusionPrice + highestPrice)
    const most = Number(network?.maxTxFeeStroops)
    expect(numberIn(cell('any, at most (`MAX_TX_FEE_STROOPS`)'))).toBe(most)
  })

  test.each([10_000, 100_000, 1_000_000])('of %d payments a month', (payments) => {
    const xlm = (stroops: number) => `${grouped(Number(((payments * stroops) / XLM).toFixed(1)))}`
    const [, low = '', high = ''] = rows(grouped(payments))[0] ?? []
    expect(numberIn(low)).toBe(numberIn(xlm(lowest)))
    expect(numberIn(high)).toBe(numberIn(xlm(lowest - inclusionPrice + highestPrice)))
  })

  test('locks two base reserves for each channel and for the settlement authority', () => {
    expect(2n * BASE_RESERVE).toBe(BigInt(XLM))
    expect(prose).toContain(
      '1 XLM for each channel, and for the settlement authority of the scheme `upto` (two base reserves each',
    )
    expect(prose).toContain(
      `\`MIN_SPONSOR_BALANCE_XLM\` (${Number(network?.minSponsorBalance) / XLM})`,
    )
  })
})

describe('the example', () => {
  const [perSecond, perMonth, days] = [10, 1_000_000, 90]
  const replicas = 2

  test('follows from the formulas', () => {
    const channels = perSecond * LEDGER_SECONDS * 1.5
    const poolSize = Number(
      /`DATABASE_POOL_SIZE` \| (\d+)/.exec(readPage('docs/configuration.md'))?.[1],
    )
    const rowsGb = (perMonth * (days / 30) * 4_000) / 1e9
    const perKey = perSecond * 120 * 1.5
    const budget = Math.floor(perSecond * 3_600 * 0.0033 * 1.5)
    expect(prose).toContain(`| channels | ${channels} |`)
    expect(prose).toContain(`| locked XLM | ${channels + 1} |`)
    expect(prose).toContain(`| replicas | ${replicas} |`)
    expect(prose).toContain(`| Postgres connections | ${(replicas + 1) * (poolSize + 1) + 5} |`)
    expect(prose).toContain(`| Postgres disk | ${rowsGb} GB of rows, so ${2 * rowsGb} GB |`)
    expect(prose).toContain(`| \`RATE_LIMIT_PER_KEY_PER_MINUTE\` | ${perKey}, so the default`)
    expect(prose).toContain(`| \`MAX_SPONSOR_SPEND_XLM_PER_HOUR\` | ${budget}, if a whole hour`)
    expect(prose).toContain('| fees | 2,321 to 4,301 XLM a month |')
  })
})

describe('the size of an installation', () => {
  test('is bounded by the ledger and the queue', () => {
    const limits = {
      transactions: 2_000,
      transactionBytes: 266_240,
      instructions: 1_160_000_000,
      diskReads: 1_000,
      diskReadBytes: 400_000,
      writes: 1_000,
      writeBytes: 286_720,
    }
    const channels = new QueueCapacity().settlementsWithin(limits)
    expect(Math.abs(channels - 450)).toBeLessThan(25)
    expect(prose).toContain('| channels, at most | about 450 |')
    expect(prose).toContain(
      `| payments per second, at most | about ${Math.round(237 / LEDGER_SECONDS)} |`,
    )
    expect(readPage('docs/performance.md')).toContain('at most 237 settlements')
  })
})

test('the table of differences names the defaults of both networks', () => {
  expect(networkSettings.REQUIRE_API_KEY.fallback).toContain('required on pubnet')
  expect(networkSettings.AUTO_PROVISION_CHANNELS.fallback).toBe('true on testnet, false on pubnet')
})
