import { afterEach, describe, expect, test, vi } from 'vitest'
import { variablesOrDemo } from '../../../../src/commands/development/demo-variables.ts'
import type { DemoState } from '../../../../src/demo/state/demo-state.ts'

const environment = { DATABASE_URL: 'postgres://127.0.0.1/demo' }
const running = async () =>
  ({ pid: 42, facilitatorUrl: 'http://127.0.0.1:8080', environment }) as unknown as DemoState
const none = async () => undefined

describe('the variables of svc status and svc doctor', () => {
  const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  afterEach(() => said.mockClear())

  test('are those of the running demo where none names a store', async () => {
    expect(await variablesOrDemo('status', { LOG_LEVEL: 'info' }, running)).toBe(environment)
    expect(said).toHaveBeenCalledWith(
      'svc status: no DATABASE_URL is set, so this looks at the running demo: its service at http://127.0.0.1:8080, process 42\n',
    )
  })

  test.each(['DATABASE_URL', 'DATABASE_URL_FILE', 'STORE'])(
    'are their own with %s',
    async (name) => {
      const own = { [name]: 'value' }
      expect(await variablesOrDemo('status', own, running)).toBe(own)
      expect(said).not.toHaveBeenCalled()
    },
  )

  test('are their own while no demo runs', async () => {
    const own = { STORE: '' }
    expect(await variablesOrDemo('doctor', own, none)).toBe(own)
    expect(said).toHaveBeenCalledWith(
      'svc doctor: no DATABASE_URL is set, and no demo runs from this installation; make run starts one\n',
    )
  })
})
