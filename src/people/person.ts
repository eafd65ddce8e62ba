import { type Sql, violatedConstraint } from '../database/database.ts'
import { Refusal } from '../errors.ts'
import type { MailLanguage } from '../mail/mail.ts'
import { insertPerson, type NewPerson } from './people.store.ts'

/** A row of `people`, its secrets aside. */
export interface Person {
  id: number
  email: string
  firstName: string
  lastName: string
  phoneNumber: string
  /** Null until the person has chosen one. */
  language: MailLanguage | null
  createdAt: Date
  lastLoginAt: Date | null
}

/** Makes a person, or refuses an email that somebody has. */
export async function addPerson(sql: Sql, person: NewPerson): Promise<Person> {
  return insertPerson(sql, person).catch((error) => {
    throw isEmailTaken(error) ? emailTaken() : error
  })
}

/** Whether a write failed because another person has the email. */
export function isEmailTaken(error: unknown): boolean {
  return violatedConstraint(error) === 'people_email_unique'
}

export function emailTaken(): Refusal {
  return new Refusal(409, 'state_conflict', 'An account with this email exists already.')
}
