/** Names that tell nobody who writes, or that pass for a bank, an authority or a parcel service. */
export const GENERIC_WORDS: readonly string[] = `
  account admin alert alerta alerte alertes alerts ameli amende amendes antai appointment assurance avis bank banka banking
  banque banques bienvenue bonjour bureau caf chronopost code codes colis compte confirm confirmation contact conseil
  covid credit customer delivery direct dpd emergency express facture finance fisc fraud fraude gouv gouvernement gov
  government health help hotline important impot impots info infos information infosms invoice livraison login mail
  mairie marketing medical message messages mobile news notice notif notification notify offer offre offres office otp
  parcel password pay payment paypal pin police post poste prefecture prize promo promos promotion rappel rdv reminder
  sante sav secure securite security service services shipping shop sms smsinfo solde store support tax test transport
  update urgence urgent verif verify verification vinted visa vote web wallet welcome
`
  .trim()
  .split(/\s+/)
