import { ApiError } from './api.ts'
import { type Operations, ROUTES } from './api-types.ts'
import { loadSentences } from './refusals.ts'
import { readToken, refuseToken } from './session.ts'

/** The uploaded bytes of a file. The upload may be complete long before the answer comes. */
export interface UploadProgress {
  loaded: number
  total: number
}

/** Uploads a file with its progress, which `fetch` cannot report. An upload that is cut off early has no effect. */
export function upload<N extends keyof Operations>(
  name: N,
  body: FormData,
  {
    path: places = {},
    query = {},
    onProgress,
    signal
  }: {
    path?: Record<string, number>
    query?: Record<string, string>
    onProgress?: (progress: UploadProgress) => void
    signal?: AbortSignal
  }
): Promise<Operations[N]['answer']> {
  const [method = '', path = ''] = ROUTES[name].split(' ')
  const { promise, resolve, reject } = Promise.withResolvers<Operations[N]['answer']>()
  const request = new XMLHttpRequest()
  request.open(
    method,
    path.replaceAll(/\{(\w+)\}/g, (_, name) => String(places[name])) +
      (Object.keys(query).length > 0 ? `?${new URLSearchParams(query)}` : '')
  )
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
      const answer = response ?? { status, code: 'internal', error: `The service answered ${status}.` }
      void loadSentences().then(() => reject(new ApiError(answer)))
    }
  }
  request.onerror = () =>
    reject(new ApiError({ status: 0, code: 'unreachable', error: 'The service can’t be reached.' }))
  request.onabort = () => reject(new DOMException('The upload was cut off.', 'AbortError'))
  signal?.addEventListener('abort', () => request.abort(), { once: true })
  request.send(body)
  return promise
}
