export type { LogLine, ProxyLog } from './log-line.ts'
export type { ProxyOptions, RunningProxy } from './proxy-options.ts'
export { startProxy } from './start-proxy.ts'
