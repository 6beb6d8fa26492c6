import type { CallToolResult, McpServer, ServerContext } from '@modelcontextprotocol/server'
import type { z } from 'zod'
import { fenced, type NewFenceId, newFenceId, SHORT } from '../answers/seller-text.ts'
import { ExplainedFailure, ToolFailure } from '../answers/tool-failure.ts'

/** The context of one call of a tool. */
export interface ToolUse {
  /** Aborts when the caller cancels the call or goes away. */
  readonly signal: AbortSignal
  /** The id of the fences around sellers' text in this answer. */
  readonly fenceId: string
  /** Tells the caller how far the call is, if it asked to be told. */
  readonly report: (message: string) => void
}

interface ToolAnswer<Result> {
  readonly result: Result
  /** A few lines for hosts that show no structured result; sellers' text only in fences. */
  readonly text: string
}

/** A tool: its schemas are what the model sees, `call` does the work. */
export interface Tool<
  Input extends z.ZodType = z.ZodType,
  Output extends z.ZodObject = z.ZodObject,
> {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly input: Input
  readonly output: Output
  /** It pays. @default it changes nothing */
  readonly movesMoney?: boolean
  readonly call: (input: z.output<Input>, use: ToolUse) => Promise<ToolAnswer<z.input<Output>>>
}

/**
 * Keeps the schemas' types until the tool is one of many. The cast is safe: the server passes to `call` only what `input` has parsed, which
 * the compiler cannot see of a function that takes one schema's output.
 */
export const tool = <Input extends z.ZodType, Output extends z.ZodObject>(
  declared: Tool<Input, Output>,
): Tool => declared as unknown as Tool

export interface ToolDeps {
  /** An error that no caller can understand; its caller learns only that it happened. */
  readonly onError?: (error: unknown, tool: string) => void
  readonly newFence?: NewFenceId
}

/** Registers a tool: its failures become results that say what to do next. */
export function registerTool(
  server: McpServer,
  { name, title, description, input, output, movesMoney = false, call }: Tool,
  { onError, newFence = newFenceId }: ToolDeps,
): void {
  const annotations = {
    title,
    readOnlyHint: !movesMoney,
    destructiveHint: movesMoney,
    idempotentHint: !movesMoney,
    openWorldHint: true,
  }
  const config = { title, description, inputSchema: input, outputSchema: output, annotations }
  server.registerTool(name, config, async (given, context): Promise<CallToolResult> => {
    const { signal } = context.mcpReq
    try {
      const use = { signal, fenceId: newFence(), report: reporter(context) }
      const { result, text } = await call(given, use)
      return { content: [{ type: 'text', text }], structuredContent: result }
    } catch (error) {
      // Nobody waits for it any more.
      if (signal.aborted) throw error
      if (error instanceof ExplainedFailure) return failed(error, newFence())
      onError?.(error, name)
      return failed(movesMoney ? perhapsPaid : somethingBroke, '')
    }
  })
}

const somethingBroke = new ToolFailure('unavailable', 'an error inside the service')

/** The failure of a tool that pays: nobody may repeat a call that could have paid. */
const perhapsPaid = new ExplainedFailure('an error inside the program, perhaps after a payment', {
  code: 'outcome_unknown',
  advice: { retryable: false, next: 'Do not call again. Tell the user.' },
  facts: { paid: null },
})

/** Fixed code first: hosts pass the text of an error to the model, and a program can compare its start. */
function failed({ code, message, advice, facts, said }: ExplainedFailure, fenceId: string) {
  const { retryable, next } = advice
  const lines = [
    `${code}: ${message}. ${next}`,
    ...(facts ? [JSON.stringify(facts)] : []),
    ...(said ? [fenced(said, SHORT, fenceId)] : []),
  ]
  return {
    isError: true,
    content: [{ type: 'text' as const, text: lines.join('\n') }],
    _meta: { 'svc/error': { code, retryable, next, ...facts } },
  }
}

/** Progress goes out only with a token that the caller chose; one that cannot be sent is dropped. */
function reporter({ mcpReq }: ServerContext): (message: string) => void {
  const progressToken = mcpReq._meta?.progressToken
  if (progressToken === undefined) return () => {}
  let progress = 0
  return (message) => {
    progress += 1
    mcpReq
      .notify({ method: 'notifications/progress', params: { progressToken, progress, message } })
      .catch(() => {})
  }
}
