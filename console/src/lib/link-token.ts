/**
 * The token of a mailed link, which follows `#` in its address: no server and no log sees it. It leaves the address bar, so
 * that it is in no history and on no screen that is shared.
 */
export function takeLinkToken(): string {
  const token = decodeURIComponent(location.hash.slice(1))
  if (token !== '') history.replaceState(history.state, '', location.pathname)
  return token
}
