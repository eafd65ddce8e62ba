/** A multipart body with a file and text parts, in this order unless `isFileFirst` is false. */
export function fileForm(
  content: string | Uint8Array,
  fields: Record<string, string> = {},
  { name = 'people.csv', isFileFirst = true }: { name?: string; isFileFirst?: boolean } = {}
): FormData {
  const form = new FormData()
  const addFile = () => form.append('file', new Blob([content as Uint8Array<ArrayBuffer>]), name)
  if (isFileFirst) addFile()
  for (const [field, value] of Object.entries(fields)) form.append(field, value)
  if (!isFileFirst) addFile()
  return form
}
