import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'

/** All bytes of a request's body; `too-large` once it has more than `maxBytes`: the rest is let go by. */
export async function wholeBody(
  incoming: IncomingMessage,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer> | 'too-large'> {
  if (Number(incoming.headers['content-length'] ?? 0) > maxBytes) return letGo(incoming)
  const pieces: Buffer[] = []
  let bytes = 0
  // not by a loop over the request: leaving one would end the connection before the answer has gone out
  return new Promise((resolve, reject) => {
    incoming.on('data', (piece: Buffer) => {
      bytes += piece.length
      if (bytes <= maxBytes) pieces.push(piece)
      else {
        pieces.length = 0
        incoming.removeAllListeners('data')
        resolve(letGo(incoming))
      }
    })
    incoming.once('end', () => resolve(Buffer.concat(pieces) as Uint8Array<ArrayBuffer>))
    incoming.once('error', reject)
    incoming.once('close', () => reject(new Error('The client went away.')))
  })
}

function letGo(incoming: IncomingMessage): 'too-large' {
  incoming.resume()
  return 'too-large'
}

/** A stream of Node as one of the web: nothing is read ahead of whoever takes it, and who gives it up ends it. */
export function webStream(source: Readable): ReadableStream<Uint8Array<ArrayBuffer>> {
  // whoever reads hears of the failure; nobody may be reading
  source.on('error', () => {})
  const pieces = source[Symbol.asyncIterator]() as AsyncIterator<Uint8Array<ArrayBuffer>>
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await pieces.next()
        if (done === true) controller.close()
        else controller.enqueue(value)
      },
      cancel() {
        source.destroy()
      },
    },
    { highWaterMark: 0 },
  )
}
