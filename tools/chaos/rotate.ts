/** A part of `make chaos`: `svc rotate` killed on both sides of each of its writes, and without a server in each of its steps. */
import { playTests } from './play-tests.ts'

process.exitCode = await playTests({
  project: 'component',
  files: ['test/component/cli/rotate-kills.long', 'test/component/cli/rotate-outages.long'],
  isShort: false,
  command: 'node tools/chaos/rotate.ts',
})
