/** The number of a phone as the sandbox knows it: "06 39 98 00 05" is "+33639980005". Undefined if it is none. */
export function toSandboxNumber(text: string): string | undefined {
  const digits = text.replaceAll(/[^\d+]/g, '')
  if (/^0[1-9]\d{8}$/.test(digits)) return `+33${digits.slice(1)}`
  const international = digits.replace(/^00/, '+').replace(/^(?=\d)/, '+')
  return /^\+[1-9]\d{6,14}$/.test(international) ? international : undefined
}
