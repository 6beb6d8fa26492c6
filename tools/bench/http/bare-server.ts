/**
 * The baseline for the service: plain fastify, whose routes answer fixed objects. `BARE_ANSWERS` has them
 * as JSON, by path; a POST parses its body first.
 */
import Fastify from 'fastify'

const answers: Record<string, object> = JSON.parse(process.env['BARE_ANSWERS'] ?? '{}')
const app = Fastify()
for (const [path, answer] of Object.entries(answers)) {
  app.get(path, async () => answer)
  app.post(path, async (request, reply) => {
    reply.code(request.body === undefined ? 500 : 400)
    return answer
  })
}
const url = await app.listen({ host: '127.0.0.1', port: 0 })
process.stdout.write(`${JSON.stringify({ url })}\n`)
process.once('SIGTERM', () => process.exit(0))
