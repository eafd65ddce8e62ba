export { type HttpOptions, type RunningServer, serveHttp } from './http.ts'
export { serveStdio } from './stdio.ts'
export { createServer } from './tools.ts'
