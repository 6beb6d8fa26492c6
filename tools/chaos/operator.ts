/**
 * The second part of `make chaos`: the disasters of test/cluster/chaos with the durations of
 * docs/reliability.md, on a real API server. `--short` plays them as short as `make test` does.
 */
import { parseArgs } from 'node:util'
import { playTests } from './play-tests.ts'

const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    /** Part of a file's name. */
    only: { type: 'string', default: '' },
  },
})
process.exitCode = await playTests({
  project: 'cluster',
  files: [`test/cluster/chaos/${values.only}`],
  isShort: values.short,
  command: 'node tools/chaos/operator.ts',
})
