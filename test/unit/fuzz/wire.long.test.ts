import { describe } from 'vitest'
import { describeJsonRpcFuzz, describeMcpFuzz } from './describe-wire-fuzz.ts'

describe('JSON-RPC answers', () => describeJsonRpcFuzz(3_000))
describe('MCP messages', () => describeMcpFuzz(3_000))
