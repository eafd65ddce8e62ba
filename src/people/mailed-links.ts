import type { Sql } from '../database/database.ts'

/** Whether links are mailed, and where they lead. */
export interface MailedLinks {
  /** Whether there is a mail server. */
  isOn: boolean
  /** The address of the console for the people of a top-level account, such as `https://sms.example/app`. */
  consoleUrl(topLevelId: number | undefined): string
  /** The top-level account above all accounts of a person; undefined if there are several. */
  findFamily(sql: Sql, personId: number): Promise<number | undefined>
}
