/** A JSON Schema of draft 2020-12. It refers to no other document. */
export type JsonSchema = Readonly<Record<string, unknown>>

export interface DeclaredOutput {
  /** @default 'json' */
  readonly type?: string | undefined
  /** An example of an answer. */
  readonly example: unknown
}

/** A resource that is called over HTTP. */
export interface HttpResource {
  readonly method: 'GET' | 'HEAD' | 'DELETE' | 'POST' | 'PUT' | 'PATCH'
  /** An example of the query, and the schema of every one. @default none is taken */
  readonly query?: { readonly example: object; readonly schema: JsonSchema } | undefined
  /** An example of the body, and the schema of every one: of POST, PUT and PATCH alone. */
  readonly body?:
    | {
        /** @default 'json' */
        readonly type?: 'json' | 'form-data' | 'text' | undefined
        readonly example: unknown
        readonly schema: JsonSchema
      }
    | undefined
  readonly output?: DeclaredOutput | undefined
  /** The path with names for its variable parts, `/weather/:city`: all cities are then one resource. */
  readonly routeTemplate?: string | undefined
}

/** A tool of an MCP server. */
export interface ToolResource {
  readonly toolName: string
  readonly description?: string | undefined
  /** Schema of the tool's arguments, as the MCP server lists it. */
  readonly inputSchema: JsonSchema
  /** @default that of the server is not declared */
  readonly transport?: 'streamable-http' | 'sse' | undefined
  readonly example?: object | undefined
  readonly output?: DeclaredOutput | undefined
}

/** A value for `extensions` of a route of a stock server. */
export interface BazaarDeclaration {
  readonly bazaar: {
    readonly info: Readonly<Record<string, unknown>>
    readonly schema: JsonSchema
    readonly routeTemplate?: string
  }
}

/** Declares an HTTP resource. It names the method itself, so the server needs no extension for that. */
export function declareHttp(resource: HttpResource): BazaarDeclaration {
  const { method, query, body, output, routeTemplate } = resource
  const bodyType = body?.type ?? 'json'
  return declaration({
    input: {
      type: 'http',
      method,
      ...(query && { queryParams: query.example }),
      ...(body && { bodyType, body: body.example }),
    },
    properties: {
      type: { const: 'http' },
      method: { enum: [method] },
      ...(query && { queryParams: { type: 'object', ...query.schema } }),
      ...(body && { bodyType: { const: bodyType }, body: body.schema }),
    },
    required: ['type', 'method', ...(body ? ['bodyType', 'body'] : [])],
    output,
    routeTemplate,
  })
}

/** Declares a tool of an MCP server. */
export function declareTool(resource: ToolResource): BazaarDeclaration {
  const { toolName, description, inputSchema, transport, example, output } = resource
  return declaration({
    input: {
      type: 'mcp',
      toolName,
      inputSchema,
      ...(description !== undefined && { description }),
      ...(transport !== undefined && { transport }),
      ...(example && { example }),
    },
    properties: {
      type: { const: 'mcp' },
      toolName: { const: toolName },
      inputSchema: { type: 'object' },
      ...(description !== undefined && { description: { type: 'string' } }),
      ...(transport !== undefined && { transport: { const: transport } }),
      ...(example && { example: inputSchema }),
    },
    required: ['type', 'toolName', 'inputSchema'],
    output,
    routeTemplate: undefined,
  })
}

interface Parts {
  readonly input: object
  readonly properties: object
  readonly required: readonly string[]
  readonly output: DeclaredOutput | undefined
  readonly routeTemplate: string | undefined
}

const declaration = ({ input, properties, required, output, routeTemplate }: Parts) => ({
  bazaar: {
    info: {
      input,
      ...(output && { output: { type: output.type ?? 'json', example: output.example } }),
    },
    schema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: {
        input: { type: 'object', properties, required, additionalProperties: false },
        ...(output && { output: { type: 'object', required: ['type'] } }),
      },
      required: ['input'],
    },
    ...(routeTemplate !== undefined && { routeTemplate }),
  },
})
