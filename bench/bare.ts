import fastify from 'fastify'

/** The reference of `bench:http`: Fastify as it comes, one route, a constant. */
const app = fastify()
app.get('/users/credits', async () => [
  { msgType: 1, label: 'SMS', credits: 10_000, price: 0.05 },
  { msgType: 2, label: 'RCS', credits: 10_000, price: 0.08 }
])
process.stdout.write(`running at ${await app.listen({ port: 0, host: '127.0.0.1' })}\n`)
process.on('SIGTERM', () => void app.close().then(() => process.exit(0)))
