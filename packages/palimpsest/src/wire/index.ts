export { credentialOf, REDACTED, redactHeaders, redactUrl } from './credentials.ts'
export { type Route, routeOf, type WireDialect } from './routes.ts'
