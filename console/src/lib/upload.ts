import { ApiError } from './api.ts'
import { type Operations, ROUTES } from './api-types.ts'
import { readToken, refuseToken } from './session.ts'

/** How much of a file has left, in bytes. All of it may have left long before the answer is there. */
export interface UploadProgress {
  loaded: number
  total: number
}

/** Sends a file and tells how far it is, which `fetch` can't. Cut off before the file has left, nothing has happened. */
export function upload<N extends keyof Operations>(
  name: N,
  body: FormData,
  { onProgress, signal }: { onProgress?: (progress: UploadProgress) => void; signal?: AbortSignal }
): Promise<Operations[N]['answer']> {
  const [method = '', path = ''] = ROUTES[name].split(' ')
  const { promise, resolve, reject } = Promise.withResolvers<Operations[N]['answer']>()
  const request = new XMLHttpRequest()
  request.open(method, path)
  request.responseType = 'json'
  request.setRequestHeader('accept', 'application/json')
  const token = readToken()
  if (token) request.setRequestHeader('authorization', `Bearer ${token}`)
  request.upload.onprogress = ({ loaded, total }) => onProgress?.({ loaded, total })
  request.onload = () => {
    const { status, response } = request
    if (status >= 200 && status < 300) resolve(response)
    else {
      if (status === 401 && token) refuseToken(token)
      reject(new ApiError(response ?? { status, code: 'internal', error: `The service answered ${status}.` }))
    }
  }
  request.onerror = () =>
    reject(new ApiError({ status: 0, code: 'unreachable', error: 'The service can’t be reached.' }))
  request.onabort = () => reject(new DOMException('The upload was cut off.', 'AbortError'))
  signal?.addEventListener('abort', () => request.abort(), { once: true })
  request.send(body)
  return promise
}
