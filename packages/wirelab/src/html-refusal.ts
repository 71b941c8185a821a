import type { HttpAnswer } from './format.ts'

/** What a proxy before the API answers to a body that is too large: the API itself never sees the request. */
export function htmlTooLarge(): HttpAnswer {
  const title = '413 Request Entity Too Large'
  const lines = ['<html>', `<head><title>${title}</title></head>`, `<body><center><h1>${title}</h1></center></body>`]
  return { status: 413, headers: { 'content-type': 'text/html' }, body: `${[...lines, '</html>'].join('\r\n')}\r\n` }
}
