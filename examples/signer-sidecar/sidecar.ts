/** Signs for the sponsor of a facilitator what the configuration allows. Usage: node sidecar.ts CONFIG.json */

import { loadConfig } from './config.ts'
import { keyFromFile } from './key.ts'
import { SigningLog } from './log/signing-log.ts'
import { clientCheck, listen } from './server/listen.ts'
import { answerWith } from './server/routes.ts'
import { batchSigner } from './sign-batch.ts'

const [, , configFile] = process.argv
if (configFile === undefined) {
  console.error('usage: node sidecar.ts CONFIG.json')
  process.exit(78)
}

// What it creates is for its own user alone, but for the socket.
process.umask(0o077)
const print = (line: object) => console.log(JSON.stringify({ time: new Date(), ...line }))

const config = loadConfig(configFile)
const key = keyFromFile(config.key.seedFile)
const ready = Promise.withResolvers<ReturnType<typeof answerWith>>()
// Before the log is opened: a second sidecar with this configuration ends here, and leaves the log alone.
const server = await listen(
  config.listen,
  (request, response) => void ready.promise.then((answer) => answer(request, response)),
)
const log = await SigningLog.open(config.logFile)
const signBatch = batchSigner({
  config,
  key,
  log,
  now: Date.now,
  refused: ({ network, purpose }, { code, message }) =>
    print({ refused: code, reason: message, network, purpose }),
})
ready.resolve(
  answerWith({
    key,
    signBatch,
    isAllowed: clientCheck(config.listen),
    failed: (error) => print({ failed: String(error), cause: String(Object(error).cause ?? '') }),
  }),
)
print({
  listening: server.at,
  signer: key.address,
  log: { lines: log.end.seq, last: log.end.previous, tornBytes: log.tornBytes },
})

process.on('SIGHUP', () => {
  try {
    server.reload()
    print({ reloaded: 'certificates' })
  } catch (error) {
    print({ failed: `the certificates stay as they were: ${error}` })
  }
})
for (const signal of ['SIGTERM', 'SIGINT']) {
  process.once(signal, async () => {
    await server[Symbol.asyncDispose]()
    await log[Symbol.asyncDispose]()
  })
}
