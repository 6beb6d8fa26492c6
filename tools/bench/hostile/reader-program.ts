/**
 * One who reads the explorer as fast as it answers, from its start until it is ended. In a process of its own, because it
 * would be on another machine: reader.ts starts it with the lowest priority. Answers a message with what it counted.
 */
import { setTimeout as pause } from 'node:timers/promises'

/** Requests by their status; one that is cut off later counts as that, too. */
export interface ReaderCounts {
  readonly downloads: Readonly<Record<string, number>>
  readonly streams: Readonly<Record<string, number>>
}

/** Each with connections and limits of its own. */
const ADDRESSES = 20
/** Streams of each address: all that it may have. */
const STREAMS_OF_ADDRESS = 10
/** As short as the rate limit by address allows. */
const AGAIN_MS = 100

const explorerUrl = process.env['EXPLORER_URL']
const end = Math.floor(Date.now() / 1_000)
const counts = { downloads: {}, streams: {} } satisfies ReaderCounts

async function again(
  counted: Record<string, number>,
  address: number,
  path: (turn: number) => string,
): Promise<never> {
  const count = (status: number | 'cut off') => {
    counted[status] = (counted[status] ?? 0) + 1
  }
  for (let turn = 0; ; turn += 1) {
    const headers = { 'x-forwarded-for': `192.0.2.${address}` }
    await readWhole(`${explorerUrl}${path(turn)}`, headers, count).catch(() => count('cut off'))
    await pause(AGAIN_MS)
  }
}

/** Counts an answer when it begins: a live page goes on. */
async function readWhole(
  url: string,
  headers: Record<string, string>,
  count: (status: number) => void,
): Promise<void> {
  const answer = await fetch(url, { headers })
  count(answer.status)
  for await (const _part of answer.body ?? []);
}

for (let address = 0; address < ADDRESSES; address += 1) {
  void again(counts.downloads, address, () => '/ui/payments.csv')
  for (let stream = 0; stream < STREAMS_OF_ADDRESS; stream += 1) {
    const behind = address * STREAMS_OF_ADDRESS + stream
    void again(
      counts.streams,
      address,
      (turn) => `/ui/live?after=stellar:testnet.${end - behind - turn}`,
    )
  }
}
process.on('message', () => process.send?.(counts))
process.stdout.write('{"ready":true}\n')
