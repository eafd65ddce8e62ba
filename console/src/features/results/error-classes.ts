/* No imports: `test/console/sentences.test.ts` compares the classes with those of the service. */

export type ErrorClass = 'throttled' | 'number' | 'sender' | 'content' | 'access' | 'carrier'

const CODES: Record<ErrorClass, string> = {
  throttled: 'RTHROTTLED RMSGQFUL',
  number: 'RINVDSTADR RINVDSTTON RINVDSTNPI RINVNUMDESTS',
  sender: 'RINVSRCADR RINVSRCTON RINVSRCNPI',
  content: 'RINVMSGLEN RINVDCS RINVESMCLASS RINVDFTMSGID RINVEXPIRY RINVSCHED',
  access: 'RINVPASWD RINVSYSID RINVSYSTYP RINVSERTYP RINVBNDSTS RBINDFAIL',
  carrier: 'RSYSERR RSUBMITFAIL RX_T_APPN RX_P_APPN RX_R_APPN RDELIVERYFAILURE RUNKNOWNERR'
}
const CLASSES = new Map<string, ErrorClass>(
  Object.entries(CODES).flatMap(([name, codes]) =>
    codes.split(' ').map((code) => [`ESME_${code}`, name as ErrorClass] as const)
  )
)

/** The class of a status of SMPP, as in `src/carriers/refusal-class.ts`; undefined of any other error. */
export const classOfError = (error: string) => CLASSES.get(error)
