import { STATUSES, statusName } from '../../smpp/commands.ts'

const STATUS_MAX = 0xffffffff

/** A command_status by its name in the specification, or by its number: `ESME_RINVDSTADR`, 11, `0x0b`, `0x0000040a`. */
export function readStatus(status: string | number): string | undefined {
  if (typeof status === 'string' && !/^(?:0x[0-9a-f]{1,8}|\d{1,10})$/i.test(status)) {
    return status !== 'ESME_ROK' && Object.hasOwn(STATUSES, status) ? status : undefined
  }
  const number = Number(status)
  return number > 0 && number <= STATUS_MAX ? statusName(number) : undefined
}
