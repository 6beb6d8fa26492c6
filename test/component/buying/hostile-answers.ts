/** What a hostile seller answers, so that a buyer pays more than it agreed to, someone else, or never ends. */
import type { ServerResponse } from 'node:http'
import type { Answer } from '../commands/buying/paid-server.ts'

/** The first call gets the first answer, the second the second; the last stays. */
export function inTurn(...answers: readonly [Answer, ...Answer[]]): Answer {
  let calls = 0
  return (...call) => answers[Math.min(calls++, answers.length - 1)]?.(...call)
}

export const redirects =
  (status: number, location: string): Answer =>
  (_, response) => {
    response.writeHead(status, { location }).end()
  }

/** Headers, and then bytes for as long as anybody reads. */
export const endless =
  (status: number, headers: Readonly<Record<string, string>> = {}): Answer =>
  (_, response) => {
    response.writeHead(status, headers)
    const piece = Buffer.alloc(16_384, 'x')
    const pour = () => {
      while (!response.destroyed && response.write(piece));
    }
    response.on('drain', pour)
    pour()
  }

/** One byte, and then nothing. */
export const stalls =
  (status: number, headers: Readonly<Record<string, string>> = {}): Answer =>
  (_, response) => {
    response.writeHead(status, headers).write('x')
  }

/** Takes the request and never answers. */
export const silent: Answer = () => undefined

export const header = (name: string, value: unknown) => ({
  [name]: Buffer.from(JSON.stringify(value)).toString('base64'),
})

/** A 402 with this text where the price belongs. */
export const rawPrice =
  (text: string): Answer =>
  (_: unknown, response: ServerResponse) => {
    response.writeHead(402, { 'payment-required': text }).end('no price')
  }
