/** PostgreSQL cannot read how JavaScript writes years below 1 and above 9999: -000001, 0000, +010000. */
const YEARS = { first: 1, last: 9999 }

export const OTHER_YEAR = `must be in a year from ${YEARS.first} to ${YEARS.last}, in UTC`

/** Whether the database cannot hold a moment for its year. A Date that is no moment has no year. */
export function isOfOtherYear(moment: Date): boolean {
  const year = moment.getUTCFullYear()
  return year < YEARS.first || year > YEARS.last
}
