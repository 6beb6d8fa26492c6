import type { Answer } from '../paid-server.ts'

/* Answers of a seller that name no price which a stock client of x402 version 2 can pay. */

export const html: Answer = (_, response) => {
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end('<h1>Hello</h1>')
}
export const redirect: Answer = (_, response) => {
  response.writeHead(302, { location: 'https://elsewhere.example/' }).end()
}
export const version1: Answer = (_, response) => {
  const accepts = [{ scheme: 'exact', network: 'base', maxAmountRequired: '1' }]
  response.writeHead(402, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ x402Version: 1, accepts, error: 'X-PAYMENT header is required' }))
}
export const hangUp: Answer = (request) => request.socket.destroy()
