/** The operator, as statements name it: from the settings. */
export interface Issuer {
  name: string
  /** Its lines. */
  address: string
}

/** The same, with its logo for the PDF. */
export interface StatementIssuer extends Issuer {
  /** A PNG or JPEG. */
  logo: Buffer | undefined
}
