/** A reply that begins with one of these words opts its writer out. */
const STOP_WORDS = new Set(['STOP', 'ARRET', 'UNSUBSCRIBE'])
/** A reply that begins with one of these undoes the STOP that its writer made. */
const START_WORDS = new Set(['START', 'UNSTOP'])
/** A reply that is one of these confirms what the person was asked. */
const YES_WORDS = new Set(['YES', 'OUI'])

const MARKS_AND_INVISIBLE = /[\p{M}\p{Cf}]/gu
const NO_LETTERS_OR_DIGITS = /[^\p{L}\p{N}]/gu
const FIRST_LETTERS = /^[^\p{L}\p{N}]*(\p{L}+)/u

/**
 * Whether a reply says STOP: its first word, whatever its case, accents and punctuation. "STOP36111" and "stop-sms" do;
 * "stoppez" and "non-stop" do not.
 */
export function isStopWord(text: string): boolean {
  const { firstWord, firstLetters } = firstOf(text)
  return STOP_WORDS.has(firstLetters) || STOP_WORDS.has(firstWord)
}

/** Whether a reply says START, as a word of its own: "START2" may be a keyword. */
export function isStartWord(text: string): boolean {
  return START_WORDS.has(firstOf(text).firstWord)
}

export function isYes(text: string): boolean {
  return YES_WORDS.has(firstOf(text).firstWord)
}

/** The first word of a reply in capitals, without accents and punctuation: what keywords are compared with. */
export function keywordOf(text: string): string {
  return firstOf(text).firstWord
}

/**
 * Words by which people elsewhere leave and return. A reply with one of them is no opt-out of Chappe, but it must never be
 * a consent: none of them can be a keyword.
 */
const LEAVING_AND_RETURNING_WORDS = new Set(
  `STOP STOPP STOPALL STOPS CANCEL END QUIT REVOKE REMOVE OPTOUT UNSUBSCRIBE UNSUB UNSTOP START RESUBSCRIBE SUBSCRIBE OPTIN
  ARRETE ARRETER ARRETEZ FIN DESABONNER DESABO DESINSCRIRE DESINSCRIPTION REPRENDRE REPRISE
  ENDE HALT ABMELDEN ABBESTELLEN AUSTRAGEN KUNDIGEN KUENDIGEN ANFANG ANMELDEN
  BAJA ALTO PARAR PARE CANCELAR SALIR DETENER INICIAR EMPEZAR ALTA SAIR REMOVER DESCADASTRAR COMECAR
  FERMA BASTA CANCELLA ANNULLA DISISCRIVI DISISCRIZIONE INIZIA AVVIA
  AFMELDEN STOPPEN UITSCHRIJVEN UIT BEGIN AANMELDEN AVSLUTA AVBRYT AVSLUTT AFMELD FRAMELD LOPETA PERU ALOITA
  KONIEC WYPISZ REZYGNUJE ODHLASIT ZRUSIT LEIRATKOZAS DEZABONARE OPRESTE DUR IPTAL RET BASLA BERHENTI HENTI MULA
  СТОП СТАРТ ОТПИСАТЬСЯ ОТМЕНА ВІДПИСАТИСЯ ΣΤΟΠ ΔΙΑΚΟΠΗ ΕΝΑΡΞΗ توقف إيقاف قف إلغاء ابدأ עצור הסר התחל
  停止 退订 取消 开始 解除 開始 退訂 중지 수신거부 시작 रोकें बंद`
    .split(/\s+/)
    .map(keywordOf)
)

/** Whether Chappe, or people of some country, give this word a meaning of its own. */
export function isReservedWord(word: string): boolean {
  return isStopWord(word) || isStartWord(word) || isYes(word) || LEAVING_AND_RETURNING_WORDS.has(keywordOf(word))
}

function firstOf(text: string): { firstWord: string; firstLetters: string } {
  // NFKD also turns wide and styled letters into plain ones.
  const plain = text.normalize('NFKD').replaceAll(MARKS_AND_INVISIBLE, '').toUpperCase().trim()
  const [firstWord = ''] = plain.split(/\s/, 1)
  const firstLetters = FIRST_LETTERS.exec(plain)?.[1] ?? ''
  return { firstWord: firstWord.replaceAll(NO_LETTERS_OR_DIGITS, ''), firstLetters }
}
