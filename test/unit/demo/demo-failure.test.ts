import { describe, expect, it, test } from 'vitest'
import { asDemoFailure, DemoFailure } from '../../../src/demo/demo-failure.ts'

describe('asDemoFailure', () => {
  test.each([
    { text: 'ENOSPC: no space left on device, write', hint: /disk space/ },
    { text: 'could not write: No space left on device', hint: /disk space/ },
    { text: 'EDQUOT: disk quota exceeded', hint: /quota/ },
    { text: 'EROFS: read-only file system, mkdir', hint: /read-only/ },
    { text: 'listen EADDRINUSE: address already in use 127.0.0.1:8000', hint: /port/ },
    { text: 'EMFILE: too many open files', hint: /ulimit/ },
    { text: 'could not map memory: Cannot allocate memory', hint: /memory/ },
  ])('has a hint for "$text"', ({ text, hint }) => {
    const failure = asDemoFailure('Postgres', new Error(text))
    expect(failure.message).toBe(`Postgres did not start: ${text}`)
    expect(failure.hint).toMatch(hint)
  })

  it('finds a known cause in the cause of an error too', () => {
    const cause = new Error('initdb: error: No space left on device')
    const failure = asDemoFailure('Postgres', new Error('could not be set up', { cause }))
    expect(failure.message).toBe('Postgres did not start: could not be set up')
    expect(failure.hint).toMatch(/disk space/)
  })

  it('gives no hint for an unknown error, and keeps it as the cause', () => {
    const cause = new Error('something unknown')
    const failure = asDemoFailure('Postgres', cause)
    expect(failure.hint).toBeUndefined()
    expect(failure.cause).toBe(cause)
  })

  it('returns a DemoFailure unchanged', () => {
    const failure = new DemoFailure('port 8080 is taken')
    expect(asDemoFailure('the facilitator', failure)).toBe(failure)
  })
})
