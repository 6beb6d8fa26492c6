import { EventEmitter } from 'node:events'
import { expect, test, vi } from 'vitest'
import { endUntilHeard } from '../../../../src/service/process/end-until-heard.ts'

test('a pod that is stopped while it loads ends at once: the kernel ignores a signal without a handler', () => {
  const signals = new EventEmitter()
  const end = vi.fn()
  endUntilHeard(signals, end)

  signals.emit('SIGTERM')
  signals.emit('SIGINT')

  expect(end.mock.calls).toEqual([['SIGTERM'], ['SIGINT']])
})

test('a command that listens ends by itself', () => {
  const signals = new EventEmitter()
  const end = vi.fn()
  const stop = vi.fn()
  endUntilHeard(signals, end)

  signals.on('SIGINT', stop).on('SIGTERM', stop)
  signals.emit('SIGTERM')

  expect(stop).toHaveBeenCalledTimes(1)
  expect(end).not.toHaveBeenCalled()
})
