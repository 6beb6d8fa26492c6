import type { FastifyInstance } from 'fastify'
import { Fault } from '../core/faults.ts'

/**
 * JSON is the only body. Bodies of other types are read up to the limit before they are
 * refused, so that an oversized one is a 413 whatever it calls itself.
 */
export function acceptJsonOnly(app: FastifyInstance): void {
  const parseJson = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    void parseJson(request, body.toString(), done)
  })
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, _body, done) => {
    done(new Fault('unsupported_media_type'))
  })
}
