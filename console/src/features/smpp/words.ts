import { defineWords } from '../../lib/language.ts'

/** Words of SMPP are the same in both languages: clients name their settings by them. */
export const smppWords = defineWords(
  { host: 'Host', port: 'Port', tlsPort: 'Port with TLS', password: 'Password', name: 'Name' },
  { host: 'Hôte', port: 'Port', tlsPort: 'Port avec TLS', password: 'Mot de passe', name: 'Nom' }
)

/** A number of the sandbox that receives everything. */
export const SANDBOX_PHONE = '33639980000'
