import Type, { type Static } from 'typebox'
import { Paginated } from '../http/paging.ts'
import { MEDIA_TYPES, type MediaType } from './look-at-picture.ts'

export interface Picture {
  id: number
  code: string
  mediaType: MediaType
  width: number
  height: number
  bytes: number
  createdAt: Date
}

/** Where pictures are fetched, without credentials. */
export const PICTURES_PATH = '/p'

/** Returns the address under which everybody reaches this service. */
export type ServiceUrl = () => string

const ENDINGS: Record<MediaType, string> = { 'image/jpeg': 'jpg', 'image/png': 'png', 'image/gif': 'gif' }

/** The last part of a picture's address. Some programs go by the ending of a name. */
export function fileNameOf({ code, mediaType }: Pick<Picture, 'code' | 'mediaType'>): string {
  return `${code}.${ENDINGS[mediaType]}`
}

export const PictureView = Type.Object(
  {
    id: Type.Integer(),
    url: Type.String({ description: 'For `media_message_url`. Everybody who knows this address can see the picture.' }),
    type: Type.Enum([...MEDIA_TYPES]),
    width: Type.Integer({ description: 'In pixels.' }),
    height: Type.Integer({ description: 'In pixels.' }),
    bytes: Type.Integer(),
    created_at: Type.String({ format: 'date-time' })
  },
  { $id: 'Picture' }
)
export const PicturePage = Paginated(PictureView, 'PicturePage')

export function toPictureView(picture: Picture, serviceUrl: string): Static<typeof PictureView> {
  return {
    id: picture.id,
    url: `${serviceUrl}${PICTURES_PATH}/${fileNameOf(picture)}`,
    type: picture.mediaType,
    width: picture.width,
    height: picture.height,
    bytes: picture.bytes,
    created_at: picture.createdAt.toISOString()
  }
}

export const pictureExample: Static<typeof PictureView> = {
  id: 3,
  url: 'https://sms.example.com/p/8sK2vQx0Lw3nBt7RzYc1.jpg',
  type: 'image/jpeg',
  width: 1_440,
  height: 720,
  bytes: 184_320,
  created_at: '2026-11-15T09:30:00.000Z'
}
