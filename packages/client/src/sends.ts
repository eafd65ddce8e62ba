import type { Routes, Schemas } from './api-types.ts'
import type { Answer, CallOptions, Client, Input } from './client.ts'

export type SmsRoute =
  | 'POST /messages/sms'
  | 'POST /messages/sms/dynamic'
  | 'POST /messages/sms/contactlist'
  | 'POST /messages/sms/file'
export type RcsRoute = 'POST /messages/rcs' | 'POST /messages/rcs/file'
export type SendRoute = SmsRoute | RcsRoute

/** The accepted message. */
export type Sent<R extends SendRoute> = R extends RcsRoute ? Schemas['RcsStatus'] : Schemas['SmsStatus']
/** What a send would do. */
export type Estimate<R extends SendRoute> = R extends RcsRoute ? Schemas['RcsResume'] : Schemas['SmsResume']

/** Sends a message. After it the message survives a crash of the service. */
export async function send<R extends SendRoute>(
  client: Client,
  route: R,
  body: Routes[R]['body'],
  options?: CallOptions
): Promise<Sent<R>> {
  return (await post(client, route, { body }, options)) as Sent<R>
}

/** Tells what a send would do: nothing is stored, sent or charged. */
export async function dryRun<R extends SendRoute>(
  client: Client,
  route: R,
  body: Routes[R]['body'],
  options?: CallOptions
): Promise<Estimate<R>> {
  return (await post(client, route, { body, query: { resumeBefore: true } }, options)) as Estimate<R>
}

/** Sends one text to some numbers. */
export function sendSms(client: Client, body: Schemas['MessagesSimpleDto'], options?: CallOptions) {
  return send(client, 'POST /messages/sms', body, options)
}

/** Sends a text, a card or a carousel, by SMS to phones that RCS does not reach. */
export function sendRcs(client: Client, body: Schemas['MessagesRcsDto'], options?: CallOptions) {
  return send(client, 'POST /messages/rcs', body, options)
}

function post<R extends SendRoute>(
  client: Client,
  route: R,
  input: { body: Routes[R]['body']; query?: { resumeBefore: true } },
  options: CallOptions | undefined
): Promise<Answer<R>> {
  // The compiler can't see that all these routes take the same.
  return client.call<'POST /messages/sms'>(
    route as 'POST /messages/sms',
    input as Input<'POST /messages/sms'>,
    options
  ) as Promise<Answer<R>>
}
