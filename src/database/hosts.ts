/** The hosts that a PostgreSQL URL names, with their ports; undefined if it is no such URL. */
export function hostsOf(url: string): string[] | undefined {
  const [, beforeHosts, hosts, afterHosts] = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#@]+)(.*)$/s.exec(url) ?? []
  if (hosts === undefined) return undefined
  const names = hosts.split(',')
  // Of several hosts, each is looked at as the only one: a URL as such has only one.
  return names.every((name) => name !== '' && isUrl(`${beforeHosts}${name}${afterHosts}`)) ? names : undefined
}

function isUrl(text: string): boolean {
  const url = URL.parse(text)
  if (!url) return false
  try {
    return [url.username, url.password, url.pathname].every((part) => decodeURIComponent(part) !== undefined)
  } catch {
    return false // A percent sign that encodes nothing: the driver would stumble over it.
  }
}
