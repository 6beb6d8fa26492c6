import { CreateMessageResultSchema, ElicitResultSchema } from '@modelcontextprotocol/sdk/types.js'
import { z } from 'zod'
import type {
  OfficialServer,
  Schema,
  ToolResult,
  ToolSeller,
} from '../../../../../src/package/mcp-server.ts'
import { network } from '../tools.ts'

/* The tools that the conformance program of the protocol calls, each with a price. */

/** What both SDKs pass to a tool, as far as these tools use it. */
interface Caller {
  notify(notification: object): Promise<void>
  ask(method: string, params: object): Promise<unknown>
}

// biome-ignore lint/suspicious/noExplicitAny: the contexts of the two SDKs have no type in common
function callerOf(context: any): Caller {
  if (context.mcpReq) {
    const { mcpReq } = context
    return {
      notify: (notification) => mcpReq.notify(notification),
      ask: (method, params) => mcpReq.send({ method, params }),
    }
  }
  const schemas: Record<string, unknown> = {
    'sampling/createMessage': CreateMessageResultSchema,
    'elicitation/create': ElicitResultSchema,
  }
  return {
    notify: (notification) => context.sendNotification(notification),
    ask: (method, params) => context.sendRequest({ method, params }, schemas[method]),
  }
}

const text = (value: string) => ({ type: 'text', text: value })
const image = { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' }
const audio = { type: 'audio', data: 'UklGRg==', mimeType: 'audio/wav' }
const embedded = {
  type: 'resource',
  resource: { uri: 'test://embedded', mimeType: 'text/plain', text: 'embedded' },
}

/** With what converters of schemas are prone to lose: `$defs`, and that nothing else is taken. */
const described = z.strictObject({
  name: z.string().optional(),
  address: z.object({ city: z.string() }).meta({ id: 'address' }).optional(),
})

interface AskedTools {
  readonly seller: ToolSeller
  readonly payTo: string
  /** Whether some ask the client a question within a call. A server without sessions never gets the answer. */
  readonly asks: boolean
}

export function sellAskedTools(server: OfficialServer, { seller, payTo, asks }: AskedTools): void {
  const accepts = {
    scheme: 'exact',
    network,
    price: '$0.01',
    payTo,
    maxTimeoutSeconds: 120,
  } as const
  const sell = (
    name: string,
    run: (caller: Caller, args: unknown, token: unknown) => ToolResult | Promise<ToolResult>,
    inputSchema?: Schema<unknown>,
  ) =>
    seller.sell(server, {
      ...{ name, description: name, accepts, inputSchema },
      run: (args, { context }) => {
        const { _meta } = Object(Object(context).mcpReq ?? context)
        return run(callerOf(context), args, Object(_meta).progressToken)
      },
    })
  const answers = (name: string, ...content: ToolResult['content']) =>
    sell(name, () => ({ content }))

  answers('test_simple_text', text('simple'))
  answers('test_image_content', image)
  answers('test_audio_content', audio)
  answers('test_embedded_resource', embedded)
  answers('test_multiple_content_types', text('several'), image, embedded)
  sell('test_error_handling', () => {
    throw new Error('This tool always fails')
  })
  sell('test_tool_with_progress', async ({ notify }, _, progressToken) => {
    for (const progress of [0, 50, 100]) {
      const params = { progressToken, progress, total: 100 }
      await notify({ method: 'notifications/progress', params })
    }
    return { content: [text('done')] }
  })
  sell('test_tool_with_logging', async ({ notify }) => {
    for (const data of ['started', 'working', 'done']) {
      await notify({ method: 'notifications/message', params: { level: 'info', data } })
    }
    return { content: [text('done')] }
  })
  sell('json_schema_2020_12_tool', () => ({ content: [text('named')] }), described)
  if (!asks) return
  sell(
    'test_sampling',
    async ({ ask }, args) => {
      const content = text(Object(args).prompt)
      const messages = [{ role: 'user', content }]
      const said = await ask('sampling/createMessage', { messages, maxTokens: 100 })
      return { content: [text(JSON.stringify(said))] }
    },
    z.object({ prompt: z.string() }),
  )
  sell(
    'test_elicitation',
    async ({ ask }, args) => {
      const { message } = Object(args)
      const requestedSchema = { type: 'object', properties: { username: { type: 'string' } } }
      const said = await ask('elicitation/create', { message, requestedSchema })
      return { content: [text(JSON.stringify(said))] }
    },
    z.object({ message: z.string() }),
  )
}
