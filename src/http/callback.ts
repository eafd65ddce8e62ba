import type { IncomingHttpHeaders } from 'node:http'
import type Type from 'typebox'
import type { Static, TSchema } from 'typebox'
import { type Description, describe } from './description.ts'
import type { CallbackTerms, Operation } from './operation.ts'
import type { Request } from './request.ts'

/** Declares an operation that another system calls. */
export function callback<
  const Route extends `POST /${string}`,
  Body extends TSchema,
  Admitted,
  Answer extends TSchema = TSchema
>(declared: Callback<Route, Body, Answer, Admitted>): Operation {
  const { headers, challenge, plainText } = declared
  const admit = declared.admit as NonNullable<Operation['callback']>['admit']
  return {
    ...describe(declared as unknown as Description<string, TSchema, TSchema, TSchema>),
    isOpen: true,
    permission: 'any',
    isForSetup: false,
    row: undefined,
    pdf: undefined,
    isEventStream: false,
    file: undefined,
    callback: { headers, challenge, plainText, admit, ...(declared.isRaw && { isRaw: true }) },
    prepare: undefined,
    handle: declared.handle as unknown as Operation['handle']
  }
}

/**
 * An operation that another system calls in a form of its own. It needs no credentials, since that system proves itself
 * in its own way, and it takes no Idempotency-Key.
 */
type Callback<R extends string, B extends TSchema, A extends TSchema, Admitted> = Omit<
  Description<R, B, Type.TUnknown, A>,
  'query'
> &
  CallbackTerms<R, Admitted> & {
    handle(
      request: Request<R, B, Type.TUnknown> & { headers: IncomingHttpHeaders; admitted: Admitted }
    ): Promise<Static<A> | PlainText>
  }

/** An answer that is no JSON. */
export class PlainText {
  readonly text: string
  readonly type: string
  constructor(text: string, type = 'text/plain; charset=utf-8') {
    this.text = text
    this.type = type
  }
}

/** A body as it came, not parsed. */
export class RawBody {
  readonly text: string
  readonly form: 'json' | 'form'
  constructor(text: string, form: RawBody['form']) {
    this.text = text
    this.form = form
  }
}
