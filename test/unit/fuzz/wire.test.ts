import { describe } from 'vitest'
import { describeJsonRpcFuzz, describeMcpFuzz } from './describe-wire-fuzz.ts'

describe('JSON-RPC answers', () => describeJsonRpcFuzz(50))
describe('MCP messages', () => describeMcpFuzz(50))
