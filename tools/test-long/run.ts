import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { Durations } from '../../test/support/run/durations.ts'
import { seededRandom, shuffle } from '../vectors/random.ts'

/**
 * `make test-long`: the tests in files that end in `.long.test.ts`. Each run plays another share of them, chosen by a
 * seed that it prints; the same seed plays the same share again.
 */

const help = `node tools/test-long/run.ts: plays a share of the long tests, of at most 12 minutes on two cores

  --all        plays all of them
  --seed N     plays the share of an earlier run
  --list       prints the files and plays none
`
const { values } = parseArgs({
  options: {
    all: { type: 'boolean', default: false },
    seed: { type: 'string', default: String(Math.trunc(Date.now() / 1_000)) },
    list: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

/** Four workers run side by side for at most six minutes by the table; a busy machine takes twice as long. */
const SECONDS_OF_WORKERS = 6 * 60 * 4

const say = (line: string) => process.stdout.write(`${line}\n`)

if (values.help) {
  process.stdout.write(help)
} else {
  const files = globSync('test/{unit,component,package,cluster}/**/*.long.test.ts').sort()
  const share = values.all ? files : shareOf(files, Number(values.seed))
  say(
    values.all
      ? `long tests: all ${files.length} files`
      : `long tests: ${share.length} of ${files.length} files, by seed ${values.seed} (again: make test-long SEED=${values.seed}; the others too: make test-long ALL=1)`,
  )
  for (const file of share) say(`  ${file}`)
  if (!values.list) process.exitCode = await play(share)
}

/** @returns the exit code of Vitest */
async function play(share: readonly string[]): Promise<number> {
  const vitest = spawn('vitest', ['run', ...share], {
    stdio: 'inherit',
    env: { ...process.env, TEST_LONG: '1' },
  })
  const [code] = await once(vitest, 'exit')
  return code ?? 1
}

/** The files of a seed's order that fit into the time of a share; each seed has another order. */
function shareOf(files: readonly string[], seed: number): readonly string[] {
  const durations = new Durations()
  const order = [...files]
  shuffle(order, seededRandom(seed))
  let left = SECONDS_OF_WORKERS
  return order.filter((file) => {
    const seconds = durations.of(file)
    if (seconds > left) return false
    left -= seconds
    return true
  })
}
