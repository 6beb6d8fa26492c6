// Checks that the operator is ready and, if FACILITATOR_URL is set, that a facilitator answers with a verdict.
const { OPERATOR_URL, FACILITATOR_URL } = process.env

async function request(url, options) {
  const response = await fetch(url, { ...options, signal: AbortSignal.timeout(10_000) })
  const text = await response.text()
  process.stdout.write(`${url} answers ${response.status}: ${text}\n`)
  return { status: response.status, text }
}

const failed = (what) => {
  process.stderr.write(`${what}\n`)
  process.exit(1)
}

const ready = await request(`${OPERATOR_URL}/readyz`)
if (ready.status !== 200) failed('The operator is not ready')

if (FACILITATOR_URL) {
  // An empty payment: a facilitator answers with a verdict that it is invalid.
  const verdict = await request(`${FACILITATOR_URL}/verify`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ x402Version: 2, paymentPayload: {}, paymentRequirements: {} }),
  })
  if (!/"isValid":\s*false/.test(verdict.text)) failed('The facilitator sent no verdict')
}
