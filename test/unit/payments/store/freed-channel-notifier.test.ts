import { describe, expect, it } from 'vitest'
import { FreedChannelNotifier } from '../../../../src/payments/store/freed-channel-notifier.ts'
import type { NetworkId } from '../../../../src/platform/core/caip2.ts'

const testnet = 'stellar:testnet'
const pubnet = 'stellar:pubnet'

/** A notifier whose statements end when the test says so. */
function notifying() {
  const statements: { networks: readonly NetworkId[]; end: (error?: Error) => void }[] = []
  const notifier = new FreedChannelNotifier((networks) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    statements.push({ networks, end: (error) => (error ? reject(error) : resolve()) })
    return promise
  })
  const sent = () => statements.map(({ networks }) => networks)
  /** Ends the statement under way; resolves when the next one, if any, has started. */
  const end = async (error?: Error) => {
    statements.at(-1)?.end(error)
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { notifier, sent, end }
}

describe('the notifier of freed channels', () => {
  it('notifies at once when no notification is under way', async () => {
    const { notifier, sent, end } = notifying()
    notifier.notify(testnet)
    expect(sent()).toEqual([[testnet]])
    await end()
    notifier.notify(testnet)
    expect(sent()).toEqual([[testnet], [testnet]])
  })

  it('sends what came during a notification in one statement, each network once', async () => {
    const { notifier, sent, end } = notifying()
    for (const network of [testnet, testnet, pubnet, testnet, pubnet] as const) {
      notifier.notify(network)
    }
    expect(sent()).toEqual([[testnet]])
    await end()
    expect(sent()).toEqual([[testnet], [testnet, pubnet]])
    await end()
    expect(sent()).toHaveLength(2)
  })

  it('goes on after a notification failed', async () => {
    const { notifier, sent, end } = notifying()
    notifier.notify(testnet)
    notifier.notify(pubnet)
    await end(new Error('connection lost'))
    expect(sent()).toEqual([[testnet], [pubnet]])
    await end()
    await notifier.idle()
  })

  it('is idle once everything is sent', async () => {
    const { notifier, end } = notifying()
    await notifier.idle()
    notifier.notify(testnet)
    notifier.notify(testnet)
    let isIdle = false
    const idle = notifier.idle().then(() => {
      isIdle = true
    })
    await end()
    expect(isIdle).toBe(false)
    await end()
    await idle
  })
})
