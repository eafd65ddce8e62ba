/** Country codes of one digit and of two (ITU-T E.164, Annex D); all others have three. */
const CALLING_CODE = /^\+(1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|\d{3})(\d+)$/

/** "+33612345678" as "+33 6 12 34 56 78"; numbers of other countries in groups of three. */
export function formatPhone(phone: string): string {
  const french = /^\+33(\d)(\d\d)(\d\d)(\d\d)(\d\d)$/.exec(phone)
  if (french) return `+33 ${french.slice(1).join(' ')}`
  const [, code = '', rest = ''] = CALLING_CODE.exec(phone) ?? []
  return code === '' ? phone : `+${code} ${rest.replaceAll(/(\d{3})(?=\d)/g, '$1 ')}`
}
