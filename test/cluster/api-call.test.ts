import { describe, expect, test } from 'vitest'
import { readCall } from './support/api-call.ts'

const pods = '/api/v1/namespaces/shop/pods'

describe('a request to the API server', () => {
  test.each([
    { line: `GET ${pods}`, call: { verb: 'list', resource: 'pods', namespace: 'shop' } },
    { line: `GET ${pods}/web`, call: { verb: 'get', resource: 'pods', name: 'web' } },
    { line: `GET ${pods}?watch=true`, call: { verb: 'watch', resource: 'pods' } },
    { line: `POST ${pods}/web/eviction`, call: { verb: 'create', subresource: 'eviction' } },
    { line: `DELETE ${pods}`, call: { verb: 'deletecollection', name: '' } },
    { line: `DELETE ${pods}/web`, call: { verb: 'delete', name: 'web' } },
    { line: 'GET /api/v1/pods', call: { verb: 'list', resource: 'pods', namespace: '' } },
    { line: 'GET /api/v1/namespaces', call: { verb: 'list', resource: 'namespaces' } },
    {
      line: 'GET /api/v1/namespaces/shop',
      call: { verb: 'get', resource: 'namespaces', name: 'shop', namespace: '' },
    },
    {
      line: 'PUT /api/v1/namespaces/shop/finalize',
      call: { verb: 'update', resource: 'namespaces', name: 'shop', subresource: 'finalize' },
    },
    {
      line: 'PATCH /apis/apps/v1/namespaces/shop/deployments/web/scale?fieldManager=me',
      call: {
        verb: 'patch',
        apiGroup: 'apps',
        resource: 'deployments',
        name: 'web',
        subresource: 'scale',
        fieldManager: 'me',
      },
    },
    { line: 'GET /version', call: { verb: 'get', apiGroup: '', resource: '' } },
    { line: 'GET /apis/apps/v1', call: { verb: 'get', apiGroup: 'apps', resource: '' } },
  ])('is parsed from $line', ({ line, call }) => {
    const [method, url] = line.split(' ')

    expect(readCall({ method, url, headers: {} })).toMatchObject(call)
  })

  test('has the field manager that the API server records', () => {
    const headers = { 'user-agent': 'svc/1.0 (linux)', 'content-type': 'application/json; a=b' }

    expect(readCall({ method: 'POST', url: pods, headers })).toMatchObject({
      userAgent: 'svc/1.0 (linux)',
      fieldManager: 'svc',
      contentType: 'application/json',
    })
    expect(readCall({ method: 'GET', url: pods, headers })).toMatchObject({ fieldManager: '' })
  })
})
