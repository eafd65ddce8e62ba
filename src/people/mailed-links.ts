/** Whether links are mailed, and where they lead. */
export interface MailedLinks {
  /** Whether there is a mail server. */
  isOn: boolean
  /** The address of the console, such as `https://sms.example/app`. */
  consoleUrl(): string
}
