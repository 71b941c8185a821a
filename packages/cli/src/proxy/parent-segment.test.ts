import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { hasParentSegment } from './parent-segment.ts'

describe('hasParentSegment', () => {
  test.each([
    '/../../x',
    '/v1/..',
    '..',
    '/v1/%2e%2E/x',
    '/v1/.%2e/x',
    '/v1/\\..\\x',
    '/v1%5c..%5Cx',
    '/v1/..%2fx',
    '/v1/%252e%252e/x',
    '/v1/%25252e./x',
    '/v1/.\t./x',
    '/v1/.%09./x',
    '/v1/..;a=b/x',
    '/v1/../x?y=1',
  ])('yes: %j', (target) => {
    expect(hasParentSegment(target)).toBe(true)
  })

  test.each([
    '/v1/messages',
    '/v1/files/a..b',
    '/v1/files/..a',
    '/v1/...',
    '/v1/./x',
    '/v1/models?path=/../x',
    '/model/arn%3Aaws%2Fx/converse',
    '/v1/100%25/2e',
    '/v1/%zz%/x',
  ])('no: %j', (target) => {
    expect(hasParentSegment(target)).toBe(false)
  })

  test('no path without one leads a URL out of its base', () => {
    const piece = fc.constantFrom('.', '..', '/', '\\', '%2e', '%2E.', '%2f', '%5c', '\t', '\n', ';', 'a', 'v1', '%25')
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const target = `/${pieces.join('')}`
        const { pathname } = new URL(`http://a.example/base/path${target}`)
        if (!hasParentSegment(target)) expect(pathname.startsWith('/base/path/')).toBe(true)
      }),
      { numRuns: 3000 },
    )
  })
})
