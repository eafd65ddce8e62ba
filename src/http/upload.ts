import type Type from 'typebox'
import type { Static, TSchema } from 'typebox'
import type { Caller } from './caller.ts'
import { type Description, describe } from './description.ts'
import { UPLOAD_BYTES_MAX } from './multipart.ts'
import type { Operation } from './operation.ts'
import type { PermissionNeeded } from './permission.ts'
import type { Request } from './request.ts'
import type { UploadedFile } from './uploaded-file.ts'

/** Declares an operation that takes a file. */
export function upload<
  const Route extends `POST /${string}`,
  Body extends TSchema,
  Query extends TSchema = Type.TUnknown,
  Answer extends TSchema = TSchema
>(declared: TakingFile<Route, Body, Query, Answer>): Operation {
  return {
    ...describe(declared as unknown as Description<string, TSchema, TSchema, TSchema>),
    bodyBytesMax: UPLOAD_BYTES_MAX,
    isLongWork: true,
    isLongFor: () => true,
    isOpen: false,
    permission: declared.permission,
    isForSetup: false,
    row: undefined,
    pdf: undefined,
    isEventStream: false,
    file: declared.file,
    callback: undefined,
    prepare: undefined,
    handle: declared.handle as unknown as Operation['handle']
  }
}

/** An operation that takes a file beside its fields, as `multipart/form-data`. Its work may take minutes. */
type TakingFile<R extends string, B extends TSchema, Q extends TSchema, A extends TSchema> = Omit<
  Description<R, B, Q, A>,
  'bodyBytesMax' | 'isLongWork' | 'example' | 'shared'
> & {
  permission: PermissionNeeded
  /** The kinds of file, for the reference. */
  file: string
  example: { body: Static<B>; answer: Static<A>; others?: Readonly<Record<string, Static<A>>> }
  handle(request: Request<R, B, Q> & { caller: Caller; file: UploadedFile }): Promise<Static<A>>
}
