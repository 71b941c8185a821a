export { contentDecoded, MAX_DECODED_BYTES } from './node-content-decoding.ts'
