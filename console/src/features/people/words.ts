import { defineWords } from '../../lib/language.ts'

export const roleWords = defineWords(
  {
    owner: 'Owner',
    manager: 'Manager',
    sender: 'Sender',
    reader: 'Reader',
    may: {
      owner: 'Everything, people and keys too.',
      manager: 'Everything but people, keys and closing the account.',
      sender: 'Writes, sends and reads results.',
      reader: 'Reads.'
    }
  },
  {
    owner: 'Propriétaire',
    manager: 'Gestionnaire',
    sender: 'Rédacteur',
    reader: 'Lecteur',
    may: {
      owner: 'Tout, y compris les personnes et les clés.',
      manager: 'Tout sauf les personnes, les clés et la fermeture du compte.',
      sender: 'Écrit, envoie et lit les résultats.',
      reader: 'Consulte.'
    }
  }
)
