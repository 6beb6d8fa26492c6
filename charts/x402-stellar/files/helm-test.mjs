// Asks the operator whether it is ready and, if there is one to ask, a facilitator for a verdict.
const { OPERATOR_URL, FACILITATOR_URL } = process.env

async function ask(url, options) {
  const response = await fetch(url, { ...options, signal: AbortSignal.timeout(10_000) })
  const text = await response.text()
  process.stdout.write(`${url} answers ${response.status}: ${text}\n`)
  return { status: response.status, text }
}

const failed = (what) => {
  process.stderr.write(`${what}\n`)
  process.exit(1)
}

const ready = await ask(`${OPERATOR_URL}/readyz`)
if (ready.status !== 200) failed('The operator is not ready')

if (FACILITATOR_URL) {
  // Not a payment at all: whoever verifies says so, and says it as a verdict.
  const verdict = await ask(`${FACILITATOR_URL}/verify`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ x402Version: 2, paymentPayload: {}, paymentRequirements: {} }),
  })
  if (!/"isValid":\s*false/.test(verdict.text)) failed('The facilitator gives no verdict')
}
