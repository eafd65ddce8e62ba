/*
 * Each operation of the audit trail, as the end of a sentence that begins with its author. `{id}` is the id of the thing.
 * No imports: a test reads this file and looks for operations without a sentence.
 */

export const ACTS: Record<string, { en: string; fr: string }> = {
  login: { en: 'logged in', fr: 'a ouvert une session' },
  logout: { en: 'logged out', fr: 'a fermé sa session' },
  openSignOnSession: { en: 'logged in by single sign-on', fr: 'a ouvert une session par authentification unique' },
  requireSecondFactor: {
    en: 'changed whether a second factor is required',
    fr: 'a modifié l’obligation d’un second facteur'
  },
  confirmTotp: { en: 'set up an authenticator app', fr: 'a configuré une application d’authentification' },
  removeTotp: { en: 'removed the authenticator app', fr: 'a retiré l’application d’authentification' },
  renewRecoveryCodes: { en: 'made new recovery codes', fr: 'a renouvelé les codes de secours' },
  addPasskey: { en: 'added passkey {id}', fr: 'a ajouté la clé d’accès {id}' },
  removePasskey: { en: 'removed passkey {id}', fr: 'a retiré la clé d’accès {id}' },
  invitePerson: { en: 'invited a person', fr: 'a invité une personne' },
  withdrawInvitation: { en: 'withdrew invitation {id}', fr: 'a annulé l’invitation {id}' },
  acceptInvitation: { en: 'accepted an invitation', fr: 'a accepté une invitation' },
  joinAccount: { en: 'joined the account', fr: 'a rejoint le compte' },
  changePersonRole: { en: 'changed the role of person {id}', fr: 'a modifié le rôle de la personne {id}' },
  removePerson: { en: 'removed person {id}', fr: 'a retiré la personne {id}' },
  leaveAccount: { en: 'left the account', fr: 'a quitté le compte' },
  switchAccount: { en: 'switched to this account', fr: 'a basculé sur ce compte' },
  endSession: { en: 'ended a session', fr: 'a mis fin à une session' },
  endOtherSessions: { en: 'ended all other sessions', fr: 'a mis fin aux autres sessions' },
  resetPassword: { en: 'reset a forgotten password', fr: 'a réinitialisé un mot de passe oublié' },
  createSmppCredential: { en: 'created SMPP credentials {id}', fr: 'a créé les identifiants SMPP {id}' },
  changeSmppCredential: { en: 'changed SMPP credentials {id}', fr: 'a modifié les identifiants SMPP {id}' },
  rotateSmppCredential: {
    en: 'rotated the password of SMPP credentials {id}',
    fr: 'a renouvelé le mot de passe des identifiants SMPP {id}'
  },
  deleteSmppCredential: { en: 'deleted SMPP credentials {id}', fr: 'a supprimé les identifiants SMPP {id}' },
  submitSm: { en: 'submitted message {id} over SMPP', fr: 'a soumis le message {id} par SMPP' },
  cancelSm: { en: 'cancelled message {id} over SMPP', fr: 'a annulé le message {id} par SMPP' },
  createKey: { en: 'created key {id}', fr: 'a créé la clé {id}' },
  changeKey: { en: 'changed key {id}', fr: 'a modifié la clé {id}' },
  rotateKey: { en: 'rotated key {id}', fr: 'a renouvelé la clé {id}' },
  deleteKey: { en: 'deleted key {id}', fr: 'a supprimé la clé {id}' },
  resetAccountPassword: {
    en: 'let a person of an account choose a new password',
    fr: 'a fait choisir un nouveau mot de passe à une personne d’un compte'
  },
  resetSubAccountPassword: {
    en: 'let a person of a sub-account choose a new password',
    fr: 'a fait choisir un nouveau mot de passe à une personne d’un sous-compte'
  },
  removeAccountFactor: {
    en: 'removed the second factor of a person of an account',
    fr: 'a supprimé le second facteur d’une personne d’un compte'
  },
  removeSubAccountFactor: {
    en: 'removed the second factor of a person of a sub-account',
    fr: 'a supprimé le second facteur d’une personne d’un sous-compte'
  },
  renewAccountKey: { en: 'renewed the first key of an account', fr: 'a renouvelé la première clé d’un compte' },
  renewSubAccountKey: {
    en: 'renewed the first key of a sub-account',
    fr: 'a renouvelé la première clé d’un sous-compte'
  },
  changeAccountNote: { en: 'changed the note on account {id}', fr: 'a modifié la note du compte {id}' },
  changeSubAccountNote: { en: 'changed the note on sub-account {id}', fr: 'a modifié la note du sous-compte {id}' },
  viewAccount: { en: 'looked at account {id}', fr: 'a consulté le compte {id}' },
  viewSubAccount: { en: 'looked at sub-account {id}', fr: 'a consulté le sous-compte {id}' },
  changeMe: { en: 'changed the settings', fr: 'a modifié les réglages' },
  rotateApiKey: { en: 'rotated the API key', fr: 'a renouvelé la clé d’API' },
  createSubAccount: { en: 'created sub-account {id}', fr: 'a créé le sous-compte {id}' },
  createAccount: { en: 'created account {id}', fr: 'a créé le compte {id}' },
  changeCreditsMode: {
    en: 'changed the credits mode of sub-account {id}',
    fr: 'a modifié le mode de crédits du sous-compte {id}'
  },
  changeAccountStanding: { en: 'changed the standing of account {id}', fr: 'a changé le statut du compte {id}' },
  changeSubAccountStanding: {
    en: 'changed the standing of sub-account {id}',
    fr: 'a changé le statut du sous-compte {id}'
  },
  changeAccountLimits: { en: 'changed the limits of account {id}', fr: 'a modifié les limites du compte {id}' },
  changeSubAccountLimits: {
    en: 'changed the limits of sub-account {id}',
    fr: 'a modifié les limites du sous-compte {id}'
  },
  declareSender: { en: 'declared sender {id}', fr: 'a déclaré l’expéditeur {id}' },
  withdrawSender: { en: 'withdrew sender {id}', fr: 'a retiré l’expéditeur {id}' },
  addSenderProof: { en: 'added a proof to sender {id}', fr: 'a ajouté un justificatif à l’expéditeur {id}' },
  decideAccountSender: { en: 'decided on sender {id}', fr: 'a statué sur l’expéditeur {id}' },
  decideSubAccountSender: {
    en: 'decided on sender {id} of a sub-account',
    fr: 'a statué sur l’expéditeur {id} d’un sous-compte'
  },
  changeAccountSenderMode: {
    en: 'changed how strictly senders of account {id} are checked',
    fr: 'a modifié le contrôle des expéditeurs du compte {id}'
  },
  changeSubAccountSenderMode: {
    en: 'changed how strictly senders of sub-account {id} are checked',
    fr: 'a modifié le contrôle des expéditeurs du sous-compte {id}'
  },
  changeLook: { en: 'changed the look of the console', fr: 'a modifié l’apparence de la console' },
  removeLook: { en: 'removed the look of the console', fr: 'a supprimé l’apparence de la console' },
  changeAccountHosts: {
    en: 'set the host names of account {id}',
    fr: 'a défini les noms de domaine du compte {id}'
  },
  importSenderList: {
    en: 'imported forbidden and reserved senders',
    fr: 'a importé des expéditeurs interdits ou réservés'
  },
  deleteSenderListEntry: {
    en: 'removed entry {id} from the lists of senders',
    fr: 'a retiré l’entrée {id} des listes d’expéditeurs'
  },
  importCarrierCosts: { en: 'imported the costs of carriers', fr: 'a importé les coûts des opérateurs' },
  setAccountCreditPrice: {
    en: 'set the price of a credit of account {id}',
    fr: 'a fixé le prix d’un crédit du compte {id}'
  },
  setSubAccountCreditPrice: {
    en: 'set the price of a credit of sub-account {id}',
    fr: 'a fixé le prix d’un crédit du sous-compte {id}'
  },
  createPriceList: { en: 'made price list {id}', fr: 'a créé la grille tarifaire {id}' },
  followPriceList: {
    en: 'added a version to price list {id}',
    fr: 'a ajouté une version à la grille tarifaire {id}'
  },
  changePriceList: { en: 'changed price list {id}', fr: 'a modifié la grille tarifaire {id}' },
  setAccountPriceList: {
    en: 'set the price list of account {id}',
    fr: 'a choisi la grille tarifaire du compte {id}'
  },
  setSubAccountPriceList: {
    en: 'set the price list of sub-account {id}',
    fr: 'a choisi la grille tarifaire du sous-compte {id}'
  },
  grantNumber: { en: 'changed the grants of number {id}', fr: 'a modifié l’attribution du numéro {id}' },
  askForCredits: { en: 'asked for credits (request {id})', fr: 'a demandé des crédits (demande {id})' },
  withdrawCreditRequest: {
    en: 'withdrew request for credits {id}',
    fr: 'a retiré la demande de crédits {id}'
  },
  answerCreditRequest: {
    en: 'answered request for credits {id}',
    fr: 'a répondu à la demande de crédits {id}'
  },
  addSubAccountCredits: { en: 'gave credits to sub-account {id}', fr: 'a donné des crédits au sous-compte {id}' },
  removeSubAccountCredits: {
    en: 'withdrew credits from sub-account {id}',
    fr: 'a retiré des crédits au sous-compte {id}'
  },
  adjustAccountCredits: { en: 'changed the credits of account {id}', fr: 'a modifié les crédits du compte {id}' },
  createContactList: { en: 'created contact list {id}', fr: 'a créé la liste de contacts {id}' },
  updateContactList: { en: 'renamed contact list {id}', fr: 'a renommé la liste de contacts {id}' },
  deleteContactList: { en: 'deleted contact list {id}', fr: 'a supprimé la liste de contacts {id}' },
  createDraft: { en: 'created draft {id}', fr: 'a créé le brouillon {id}' },
  deleteDraft: { en: 'deleted draft {id}', fr: 'a supprimé le brouillon {id}' },
  createSegment: { en: 'created segment {id}', fr: 'a créé le segment {id}' },
  updateSegment: { en: 'changed segment {id}', fr: 'a modifié le segment {id}' },
  deleteSegment: { en: 'deleted segment {id}', fr: 'a supprimé le segment {id}' },
  addContacts: { en: 'added contacts to list {id}', fr: 'a ajouté des contacts à la liste {id}' },
  importContacts: { en: 'imported a file into list {id}', fr: 'a importé un fichier dans la liste {id}' },
  updateContact: { en: 'changed contact {id}', fr: 'a modifié le contact {id}' },
  deleteContact: { en: 'deleted contact {id}', fr: 'a supprimé le contact {id}' },
  addStop: { en: 'added STOP {id}', fr: 'a ajouté le STOP {id}' },
  importStops: { en: 'imported a file of STOPs', fr: 'a importé un fichier de STOP' },
  addOperatorStop: {
    en: 'put a number on the operator’s list',
    fr: 'a ajouté un numéro à la liste de l’opérateur'
  },
  importOperatorStops: {
    en: 'imported numbers to the operator’s list',
    fr: 'a importé des numéros dans la liste de l’opérateur'
  },
  deleteOperatorStop: {
    en: 'took number {id} off the operator’s list',
    fr: 'a retiré le numéro {id} de la liste de l’opérateur'
  },
  addConsents: { en: 'added consents', fr: 'a ajouté des consentements' },
  importConsents: { en: 'imported consents', fr: 'a importé des consentements' },
  withdrawConsent: { en: 'withdrew a consent', fr: 'a retiré un consentement' },
  addKeyword: { en: 'added keyword {id} for consent', fr: 'a ajouté le mot-clé de consentement {id}' },
  deleteAnyKeyword: {
    en: 'deleted keyword {id} of another account',
    fr: 'a supprimé le mot-clé {id} d’un autre compte'
  },
  updateConversation: {
    en: 'closed or assigned the conversation of reply {id}',
    fr: 'a fermé ou attribué la conversation de la réponse {id}'
  },
  deleteKeyword: { en: 'deleted keyword {id} for consent', fr: 'a supprimé le mot-clé de consentement {id}' },
  changeAgent: {
    en: 'changed who may use RCS agent {id}',
    fr: 'a changé qui peut utiliser l’agent RCS {id}'
  },
  grantAgent: { en: 'granted RCS agent {id}', fr: 'a attribué l’agent RCS {id}' },
  revokeAgent: { en: 'revoked RCS agent {id}', fr: 'a retiré l’agent RCS {id}' },
  deleteStop: { en: 'deleted STOP {id}', fr: 'a supprimé le STOP {id}' },
  createAutoReply: { en: 'created auto-reply {id}', fr: 'a créé la réponse automatique {id}' },
  updateAutoReply: { en: 'changed auto-reply {id}', fr: 'a modifié la réponse automatique {id}' },
  deleteAutoReply: { en: 'deleted auto-reply {id}', fr: 'a supprimé la réponse automatique {id}' },
  createCannedReply: { en: 'created canned reply {id}', fr: 'a créé la réponse type {id}' },
  updateCannedReply: { en: 'changed canned reply {id}', fr: 'a modifié la réponse type {id}' },
  deleteCannedReply: { en: 'deleted canned reply {id}', fr: 'a supprimé la réponse type {id}' },
  createSmsTemplate: { en: 'created SMS template {id}', fr: 'a créé le modèle SMS {id}' },
  updateSmsTemplate: { en: 'changed SMS template {id}', fr: 'a modifié le modèle SMS {id}' },
  createRcsTemplate: { en: 'created RCS template {id}', fr: 'a créé le modèle RCS {id}' },
  updateRcsTemplate: { en: 'changed RCS template {id}', fr: 'a modifié le modèle RCS {id}' },
  deleteTemplate: { en: 'deleted template {id}', fr: 'a supprimé le modèle {id}' },
  createAutomation: { en: 'created automation {id}', fr: 'a créé l’automatisation {id}' },
  updateAutomation: { en: 'changed automation {id}', fr: 'a modifié l’automatisation {id}' },
  deleteAutomation: { en: 'deleted automation {id}', fr: 'a supprimé l’automatisation {id}' },
  createTrial: { en: 'created trial {id}', fr: 'a créé le test A/B {id}' },
  chooseVariant: { en: 'chose the winner of trial {id}', fr: 'a choisi la variante gagnante du test A/B {id}' },
  cancelTrial: { en: 'cancelled trial {id}', fr: 'a annulé le test A/B {id}' },
  addPicture: { en: 'uploaded picture {id}', fr: 'a envoyé l’image {id}' },
  deletePicture: { en: 'deleted picture {id}', fr: 'a supprimé l’image {id}' },
  sendSms: { en: 'sent SMS message {id}', fr: 'a envoyé le message SMS {id}' },
  sendSmsDynamic: { en: 'sent personalised SMS message {id}', fr: 'a envoyé le message SMS personnalisé {id}' },
  sendSmsToLists: { en: 'sent SMS message {id} to contact lists', fr: 'a envoyé le message SMS {id} à des listes' },
  sendSmsFile: { en: 'sent SMS message {id} from a file', fr: 'a envoyé le message SMS {id} depuis un fichier' },
  sendRcs: { en: 'sent RCS message {id}', fr: 'a envoyé le message RCS {id}' },
  sendRcsFile: { en: 'sent RCS message {id} from a file', fr: 'a envoyé le message RCS {id} depuis un fichier' },
  sendSmsOldWay: { en: 'sent SMS message {id}', fr: 'a envoyé le message SMS {id}' },
  sendSmsToListsOldWay: {
    en: 'sent SMS message {id} to contact lists',
    fr: 'a envoyé le message SMS {id} à des listes'
  },
  kannelSendsms: {
    en: 'sent SMS message {id} through the door of Kannel',
    fr: 'a envoyé le message SMS {id} par l’accès Kannel'
  },
  jasminSend: {
    en: 'sent SMS message {id} through the door of Jasmin',
    fr: 'a envoyé le message SMS {id} par l’accès Jasmin'
  },
  cancelMessage: { en: 'cancelled message {id}', fr: 'a annulé le message {id}' },
  pauseMessage: { en: 'paused message {id}', fr: 'a mis en pause le message {id}' },
  resumeMessage: { en: 'resumed message {id}', fr: 'a repris le message {id}' },
  labelMessage: { en: 'named and tagged message {id}', fr: 'a nommé et étiqueté le message {id}' },
  resendMessage: {
    en: 'resent failed recipients as message {id}',
    fr: 'a renvoyé les échecs par le message {id}'
  },
  changeCarrierSending: {
    en: 'changed whether carrier {id} sends',
    fr: 'a modifié l’envoi par l’opérateur {id}'
  },
  changeCarrierCapture: {
    en: 'changed the capture of PDUs of carrier {id}',
    fr: 'a modifié la capture des PDU de l’opérateur {id}'
  },
  lookUpNumber: { en: 'looked up a number', fr: 'a recherché un numéro' },
  testCarrier: { en: 'sent a test through carrier {id}', fr: 'a envoyé un test par l’opérateur {id}' },
  replaceWebhooks: { en: 'changed the webhooks', fr: 'a modifié les webhooks' },
  rotateSecret: { en: 'rotated the webhook secret', fr: 'a renouvelé le secret des webhooks' },
  testWebhook: { en: 'sent a webhook test', fr: 'a envoyé un test de webhook' },
  replayDelivery: { en: 'redelivered webhook delivery {id}', fr: 'a relivré la livraison de webhook {id}' },
  replayDeliveries: {
    en: 'redelivered failed webhook deliveries',
    fr: 'a relivré les livraisons de webhook en échec'
  },
  eraseNumber: { en: 'erased the data of a phone number', fr: 'a effacé les données d’un numéro' }
}

/** The sentence of a refused act, where it is not the usual one. */
export const REFUSED_ACTS: Record<string, { en: string; fr: string }> = {
  login: {
    en: 'failed to log in: wrong password or code',
    fr: 'n’a pas pu ouvrir de session\u00a0: mot de passe ou code incorrect'
  }
}
