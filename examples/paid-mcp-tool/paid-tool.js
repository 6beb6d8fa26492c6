/**
 * x402 over MCP: the payment is in `_meta` of the call, the price in a result that is an error, the receipt in `_meta` of
 * the result. Specified in x402's specs/transports-v2/mcp.md; clients of other authors pay it too.
 */

/**
 * Puts a price on the handler of a tool. The handler runs after the payment is verified and before it is settled, so that
 * an error of the handler costs the caller nothing.
 */
export function paid({ resources, accepts, resource, extensions }, handler) {
  const refuse = async (reason, receipt) => {
    const required = await resources.createPaymentRequiredResponse(
      accepts,
      resource,
      reason,
      extensions,
    )
    const error = { code: 402, message: reason, data: required }
    return {
      isError: true,
      structuredContent: receipt ? { ...required, 'x402/payment-response': receipt } : required,
      content: [{ type: 'text', text: JSON.stringify({ 'x402/error': error }) }],
    }
  }

  return async (args, context) => {
    const payment = context.mcpReq._meta?.['x402/payment']
    if (!payment) return refuse('This tool costs money: pay one of the prices')
    const price = resources.findMatchingRequirements(accepts, payment)
    if (!price) return refuse('The payment is for another price')

    const { isValid, invalidReason } = await resources.verifyPayment(payment, price)
    if (!isValid) return refuse(invalidReason ?? 'The payment is not valid')
    const result = await handler(args, context)
    if (result.isError) return result
    const receipt = await resources.settlePayment(payment, price, extensions)
    if (!receipt.success) return refuse(receipt.errorReason ?? 'It was not settled', receipt)
    return { ...result, _meta: { ...result._meta, 'x402/payment-response': receipt } }
  }
}
