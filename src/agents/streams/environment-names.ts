/** What every agent needs to reach its provider and to find its log-in. */
const NETWORK_AND_FILES = [
  'HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy https_proxy no_proxy NODE_EXTRA_CA_CERTS SSL_CERT_FILE SSL_CERT_DIR',
  'XDG_CONFIG_HOME XDG_DATA_HOME XDG_STATE_HOME XDG_CACHE_HOME',
]

/** Names of variables that an agent may see: those of the lines, separated by spaces, and what each needs for network and files. */
export function environmentNames(...lines: readonly string[]): readonly string[] {
  return [...lines, ...NETWORK_AND_FILES].flatMap((line) => line.split(' '))
}
