import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { expect, test } from 'vitest'
import { imageOrSkip } from './support/built-image.ts'
import { start } from './support/container.ts'

/* The kernel gives process 1 of a namespace only signals that it listens for: no default action ends it. */
test('svc migrate as process 1 ends by SIGTERM while the database does not answer', async (context) => {
  const { root } = imageOrSkip(context)
  const silent = createServer()
  await once(silent.listen(0, '127.0.0.1'), 'listening')
  const { port } = silent.address() as AddressInfo
  try {
    const url = `postgres://someone@127.0.0.1:${port}/payments`
    const migrate = await start(root, ['svc', 'migrate'], { DATABASE_URL: url })
    const [socket] = await once(silent, 'connection')
    await migrate.signal('SIGTERM')
    expect(await migrate.ended).toEqual({
      code: 143,
      stdout: '',
      stderr: 'svc migrate: stopped by SIGTERM before it was done\n',
    })
    socket.destroy()
  } finally {
    silent.close()
  }
})
