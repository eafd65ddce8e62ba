/** The name, colour and logo of the console. */
export interface Look {
  name: string
  /** As `#rrggbb`; undefined for the console's own. */
  colour: string | undefined
  /** The address of an image; undefined without one. */
  logo: string | undefined
}

const { name, colour, logo } = document.documentElement.dataset

/** Whether the service gave this page a look that is not the console's own. */
export const isDressed = name !== undefined

/** The look of this page. The service wrote it into the page by the host name, so it is there before anything is drawn. */
export const look: Look = {
  name: name ?? 'Chappe',
  colour,
  logo: isDressed ? logo : `${import.meta.env.BASE_URL}icon.svg`
}
