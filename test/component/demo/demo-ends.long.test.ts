import { expect, it } from 'vitest'
import { allGone, DemoProcess, ownPlace } from './demo-process.ts'

it('interrupted twice does not wait for a part that hangs', async () => {
  await using place = await ownPlace()
  await using demo = new DemoProcess('demo', '--store', 'memory', ...place.flags)
  await demo.printed(/✓ facilitator/)
  const processes = await demo.descendants()
  for (const pid of processes) process.kill(pid, 'SIGSTOP')
  demo.signal('SIGINT')
  await demo.printed(/Ctrl-C again/)
  demo.signal('SIGINT')
  expect((await demo.ended).code).toBe(130)
  await allGone(processes)
})
