import fastify from 'fastify'

/** The reference of `bench:http`, `bench:accept` and `bench:links`: Fastify as it comes, a route each, constants. */
const app = fastify()
app.get('/users/credits', async () => [
  { msgType: 1, label: 'SMS', credits: 10_000, price: 0.05 },
  { msgType: 2, label: 'RCS', credits: 10_000, price: 0.08 }
])
app.post('/messages/sms', async () => ({
  success: true,
  message: 'Accepted.',
  message_id: 7,
  credits_used: 1,
  credits_remaining: 9_999,
  recipients_count: 1,
  sms_count: 1,
  doublons: 0,
  stops: 0,
  invalid: 0
}))
app.get('/s/:code', (_request, reply) => reply.redirect('https://shop.example/winter/sale?from=sms', 302))
process.stdout.write(`running at ${await app.listen({ port: 0, host: '127.0.0.1' })}\n`)
process.on('SIGTERM', () => void app.close().then(() => process.exit(0)))
