/** The head of a PNG of that size, in base64: enough to read its pixels. */
export function pngHead(width: number, height: number): string {
  const head = Buffer.alloc(24)
  head.write('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1')
  head.writeUInt32BE(width, 16)
  head.writeUInt32BE(height, 20)
  return head.toString('base64')
}
