#!/usr/bin/env -S node --max-semi-space-size=8
import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'
import { endUntilHeard } from '../service/process/end-until-heard.ts'
import { keepServiceSmall } from '../service/process/small-service.ts'
import { exitOfSignal } from '../service/process/stop-signals.ts'
import { commands } from './commands.ts'
import { main } from './main.ts'

/*
 * `svc <command>`: runs the command, exits with its code. bin/svc starts this with the right
 * Node and its options. It is executable itself as well, because npx keeps its link to an earlier bin.
 */

const MAX_WAIT_FOR_READER_MS = 5_000

// Compiled code is kept between runs: a start takes half the time and 25 MB less (docs/performance.md).
// The folder is beside the code, not among temporary files, where any user could plant code. Where it
// cannot be written this does nothing; NODE_COMPILE_CACHE wins.
const compiled = fileURLToPath(new URL('../../node_modules/.cache/svc', import.meta.url))
const args = process.argv.slice(2)
if (isService(args[0])) keepServiceSmall(compiled)
enableCompileCache(compiled)

let ended: number | undefined
endUntilHeard(process, (signal) => {
  if (ended === undefined) process.stderr.write(`svc ${args[0]}: ${signal} came before it began\n`)
  process.exit(ended ?? exitOfSignal(signal))
})
ended = await main(args)
// The rest of the output would be lost in a pipe whose reader is slow. But a reader that has stopped reading must not keep
// an operator alive that has lost its lease.
await new Promise<void>((resolve) => {
  process.stdout.once('error', () => resolve())
  process.stdout.write('', () => resolve())
  setTimeout(resolve, MAX_WAIT_FOR_READER_MS)
})
// Does not wait for the event loop to drain: a command that has returned has closed what it opened.
process.exit(ended)

function isService(name = ''): boolean {
  return Object.hasOwn(commands, name) && commands[name]?.isService === true
}
