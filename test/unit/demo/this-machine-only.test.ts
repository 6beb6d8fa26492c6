import https from 'node:https'
import { afterEach, expect, it } from 'vitest'
import { stayOnThisMachine } from '../../../src/demo/this-machine-only.ts'

const usual = https.globalAgent
afterEach(() => {
  https.globalAgent = usual
})

const failureOf = (url: string): Promise<Error> =>
  new Promise((resolve) => {
    https.get(url).on('error', resolve)
  })

it('refuses another host before it is looked up, and lets loopback through', async () => {
  stayOnThisMachine()
  const elsewhere = await failureOf('https://horizon.example/ledgers')
  expect(elsewhere.message).toBe('horizon.example is not on this machine')
  // No process listens on the discard port: the connection was tried.
  expect(await failureOf('https://127.0.0.1:9/')).toMatchObject({ code: 'ECONNREFUSED' })
})
