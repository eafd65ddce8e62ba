import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { atEnd } from '../service/cleanup.ts'

/** A span as the collector got it. */
export interface CollectedSpan {
  traceId: string
  spanId: string
  /** Empty for the first span of a trace. */
  parentId: string
  name: string
  /** As OTLP numbers them: 2 server, 3 client, 4 producer, 5 consumer. */
  kind: number
  attributes: Record<string, string | number | boolean>
  links: string[]
  isFailed: boolean
  startedAtMs: number
  endedAtMs: number
  /** The service that sent it. */
  resource: Record<string, string | number | boolean>
}

export interface Collector {
  /** For OTEL_EXPORTER_OTLP_ENDPOINT. */
  url: string
  spans: CollectedSpan[]
  /** All bodies as they came. */
  texts: string[]
  /** The headers of the last request. */
  headers: NodeJS.Dict<string | string[]>
  ofTrace(traceId: string): CollectedSpan[]
}

/** A collector of traces on a real socket: OTLP over HTTP, in JSON. */
export async function startCollector(t: TestContext): Promise<Collector> {
  const spans: CollectedSpan[] = []
  const texts: string[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const text = Buffer.concat(chunks).toString()
    collector.headers = request.headers
    const isTraces = request.method === 'POST' && request.url === '/v1/traces'
    if (isTraces && request.headers['content-type'] === 'application/json') {
      texts.push(text)
      spans.push(...readSpans(JSON.parse(text)))
    } else response.statusCode = 404
    response.setHeader('content-type', 'application/json')
    response.end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  atEnd(t, async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const { port } = server.address() as AddressInfo
  const collector: Collector = {
    url: `http://127.0.0.1:${port}`,
    spans,
    texts,
    headers: {},
    ofTrace: (id) => spans.filter(({ traceId }) => traceId === id)
  }
  return collector
}

interface Exported {
  resourceSpans: { resource: { attributes: Pair[] }; scopeSpans: { spans: ExportedSpan[] }[] }[]
}

interface ExportedSpan {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes: Pair[]
  links?: { traceId: string; spanId: string }[]
  status?: { code?: number }
}

interface Pair {
  key: string
  value: Record<string, string | number | boolean>
}

function readSpans({ resourceSpans }: Exported): CollectedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) => spans.map((span) => toCollected(span, readPairs(resource.attributes))))
  )
}

function toCollected(span: ExportedSpan, resource: CollectedSpan['resource']): CollectedSpan {
  const { traceId, spanId, parentSpanId = '', name, kind, links = [] } = span
  return {
    traceId,
    spanId,
    parentId: parentSpanId,
    name,
    kind,
    attributes: readPairs(span.attributes),
    links: links.map((link) => `${link.traceId} ${link.spanId}`),
    isFailed: span.status?.code === 2,
    startedAtMs: Number(BigInt(span.startTimeUnixNano) / 1_000_000n),
    endedAtMs: Number(BigInt(span.endTimeUnixNano) / 1_000_000n),
    resource
  }
}

function readPairs(pairs: readonly Pair[]): Record<string, string | number | boolean> {
  return Object.fromEntries(pairs.map(({ key, value }) => [key, Object.values(value)[0] ?? '']))
}
