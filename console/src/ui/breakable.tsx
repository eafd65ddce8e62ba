import { Fragment } from 'react'

/** After the "@" of an email address, and before the dots that follow it. */
const BREAKS = /(?<=@)|(?<=@\S*)(?=\.\w)/

/** A text in which an email address that has no room in its line breaks between its words. */
export function Breakable({ children }: { children: string }) {
  return children.split(BREAKS).map((part, index) => (
    <Fragment key={index}>
      {index > 0 && <wbr />}
      {part}
    </Fragment>
  ))
}
