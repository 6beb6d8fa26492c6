/** A program that closes its network, or disposes of it, ends by itself. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, it } from 'vitest'

const index = new URL('../../../../src/package/localnet.ts', import.meta.url).href

/** Code and output of a program of its own. */
async function run(body: string): Promise<{ code: number | null; output: string }> {
  const source = `
    import { Asset, Operation, rpc, TransactionBuilder } from '@stellar/stellar-sdk'
    import { startLocalnet } from '${index}'
    const pay = async (net) => {
      const server = new rpc.Server(net.rpcUrl, { allowHttp: true })
      const [alice, bob] = [await net.fund(), await net.fund()]
      const account = await server.getAccount(alice.publicKey())
      const destination = bob.publicKey()
      const transaction = new TransactionBuilder(account, { fee: '100', networkPassphrase: net.networkPassphrase })
        .addOperation(Operation.payment({ destination, asset: Asset.native(), amount: '1' }))
        .setTimeout(30)
        .build()
      transaction.sign(alice)
      const { hash } = await server.sendTransaction(transaction)
      console.log((await server.pollTransaction(hash)).status)
    }
    ${body}`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', source])
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (text) => {
      output += text
    })
  }
  const [code] = await once(child, 'close')
  return { code, output }
}

describe('a program', () => {
  it.each([
    ['instant ledgers', `{}`],
    ['a timer', `{ closing: { everyMs: 10 } }`],
  ])('ends after it has closed a network with %s', async (_, options) => {
    const { code, output } = await run(`
      const net = await startLocalnet(${options})
      await pay(net)
      const snapshot = await net.snapshot()
      await net.travel(60)
      await net.restore(snapshot)
      await net.close()`)
    expect({ code, output }).toEqual({ code: 0, output: 'SUCCESS\n' })
  })

  it('ends after the scope of two networks, with a failure in it too', async () => {
    const { code, output } = await run(`
      try {
        await using one = await startLocalnet()
        await using other = await startLocalnet()
        await pay(one)
        await pay(other)
        throw new Error('of the test')
      } catch (error) { console.log(error.message) }`)
    expect({ code, output }).toEqual({ code: 0, output: 'SUCCESS\nSUCCESS\nof the test\n' })
  })
})
