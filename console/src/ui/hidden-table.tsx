import { Table, VisuallyHidden } from '@mantine/core'

/** The figures of a chart as a table, for screen readers. */
export function HiddenTable({
  caption,
  head,
  names,
  rows
}: {
  caption: string
  /** The title of the first column. */
  head: string
  /** The titles of the other columns. */
  names: string[]
  rows: { label: string; values: number[] }[]
}) {
  return (
    <VisuallyHidden>
      <Table>
        <caption>{caption}</caption>
        <thead>
          <tr>
            <th scope="col">{head}</th>
            {names.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ label, values }) => (
            <tr key={label}>
              <th scope="row">{label}</th>
              {values.map((value, index) => (
                <td key={names[index]}>{value}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </Table>
    </VisuallyHidden>
  )
}
