import { operation } from '../http/operation.ts'
import { PageQuery, pageWindow, toPage } from '../http/paging.ts'
import { PicturePage, pictureExample, type ServiceUrl, toPictureView } from './picture.ts'
import { countPictures, listPicturesOfPage } from './pictures.store.ts'

export const listPictures = (serviceUrl: ServiceUrl) =>
  operation({
    route: 'GET /pictures',
    id: 'listPictures',
    tag: 'Beyond',
    permission: 'read',
    summary: 'List pictures',
    description: 'The pictures that this account has uploaded for RCS, newest first.',
    query: PageQuery,
    answer: PicturePage,
    example: {
      answer: {
        items: [pictureExample],
        meta: { itemCount: 1, totalItems: 1, itemsPerPage: 10, totalPages: 1, currentPage: 1 }
      }
    },
    async handle({ caller: { accountId }, query, database }) {
      const totalItems = await countPictures(database, accountId)
      const pictures = await listPicturesOfPage(database, accountId, pageWindow({ ...query, totalItems }))
      const views = pictures.map((picture) => toPictureView(picture, serviceUrl()))
      return toPage(views, { ...query, totalItems })
    }
  })
