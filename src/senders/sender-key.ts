/** The form in which senders are compared: a phone shows MYSHOP and MyShop as two names, and people read one. */
export function senderKey(name: string): string {
  return name.toLowerCase().replace(/^\+(?=\d+$)/, '')
}

/** Whether a sender is a number or a short code. */
export function isNumberKey(key: string): boolean {
  return /^\d+$/.test(key)
}
