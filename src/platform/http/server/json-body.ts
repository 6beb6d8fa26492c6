import { isUtf8 } from 'node:buffer'
import type { FastifyInstance } from 'fastify'
import { Fault } from '../../core/errors/faults.ts'

/**
 * JSON is the only body. Bodies of other types are read up to the limit before they are
 * refused, so that an oversized one is a 413 whatever its content type.
 */
export function acceptJsonOnly(app: FastifyInstance): void {
  const parseJson = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    // Decoding would replace invalid bytes without an error.
    if (typeof body !== 'string' && !isUtf8(body)) {
      done(new Fault('bad_request', { reason: 'the body is not UTF-8' }))
      return
    }
    void parseJson(request, body.toString(), done)
  })
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, _body, done) => {
    done(new Fault('unsupported_media_type'))
  })
}
