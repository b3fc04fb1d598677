import { basename } from 'node:path'
import { PawlError } from '../core/pawl-error.ts'

/** A program with its arguments, or with `shell: true` one line for `/bin/sh -c`. */
export type CommandLine =
  | { readonly command: readonly string[]; readonly shell?: false }
  | { readonly command: string; readonly shell: true }

/** The options of every driver that runs a command. */
export type CommandOptions = CommandLine & {
  readonly timeoutMs?: number
  /** Names of variables passed on from our own environment, besides `ENVIRONMENT_PASSED_ON`; `AWS_*` means all that begin with it. */
  readonly environment?: readonly string[]
  /** Variables set for the program. The journal records them as settings, so pass secrets by name, with `environment`. */
  readonly variables?: Readonly<Record<string, string>>
}

/** The argument list. `extra` are further arguments; a shell line sees them as `$1`, `$2`, …. */
export function argumentList(line: CommandLine, extra: readonly string[] = []): readonly string[] {
  return line.shell === true ? ['/bin/sh', '-c', line.command, 'sh', ...extra] : [...line.command, ...extra]
}

/** What people call the program: `claude` for `/opt/bin/claude -p`. */
export function programName(line: CommandLine): string {
  return basename((line.shell === true ? line.command.trim().split(/\s+/) : line.command)[0] ?? '')
}

/** Throws a `PawlError` whose code begins with `place` (`agent.command`) if nothing can be started. */
export function checkCommandLine(place: string, { command, shell }: CommandLine): void {
  const refuse = (what: 'shape' | 'empty', sentence: string): never => {
    throw new PawlError(`${place}.${what}`, sentence, { value: command })
  }
  const parts: readonly unknown[] = Array.isArray(command) ? command : [command]
  const [first] = parts
  if (shell === true && typeof command !== 'string')
    refuse('shape', 'With shell: true, command must be one string, the line for /bin/sh.')
  if (shell !== true && !Array.isArray(command))
    refuse('shape', 'command must be a list of the program and its arguments; for a shell line, set shell: true as well.')
  if (typeof first !== 'string' || first.trim() === '')
    refuse('empty', 'command must not be empty: give the program and its arguments, such as ["npm", "test"].')
  if (parts.some((part) => typeof part !== 'string' || part.includes('\0')))
    refuse('shape', 'Every part of command must be text without NUL characters.')
}

/** Variables that toolchains need. They name folders of this machine, so they mean nothing in a container. */
export const TOOLCHAIN_VARIABLES: readonly string[] = [
  'RUSTUP_* CARGO_HOME CARGO_TARGET_DIR RUSTFLAGS RUSTC_WRAPPER',
  'GOPATH GOROOT GOFLAGS GOBIN GOCACHE GOMODCACHE GOPROXY GOPRIVATE GONOPROXY GOSUMDB GONOSUMDB GOTOOLCHAIN GOENV GOWORK',
  'JAVA_HOME JDK_HOME MAVEN_HOME M2_HOME GRADLE_HOME GRADLE_USER_HOME SDKMAN_DIR KOTLIN_HOME SCALA_HOME',
  'ANDROID_HOME ANDROID_SDK_ROOT ANDROID_NDK_HOME',
  'VIRTUAL_ENV CONDA_* MAMBA_* PYENV_* PYTHONPATH PYTHONHOME POETRY_HOME UV_CACHE_DIR UV_PYTHON UV_PYTHON_INSTALL_DIR PIPX_HOME',
  'NVM_* FNM_* VOLTA_HOME N_PREFIX NODE_PATH PNPM_HOME COREPACK_HOME BUN_INSTALL DENO_DIR DENO_INSTALL',
  'RBENV_* RUBYLIB GEM_HOME GEM_PATH BUNDLE_PATH BUNDLE_GEMFILE COMPOSER_HOME',
  'DOTNET_ROOT DOTNET_CLI_HOME NUGET_PACKAGES HOMEBREW_PREFIX NIX_PATH NIX_PROFILES ASDF_* MISE_* JENV_ROOT GOENV_ROOT',
  'CC CXX CFLAGS CXXFLAGS LDFLAGS CPATH LIBRARY_PATH LD_LIBRARY_PATH PKG_CONFIG_PATH CMAKE_PREFIX_PATH',
  'DOCKER_HOST DOCKER_CONTEXT DOCKER_CONFIG DOCKER_CERT_PATH DOCKER_TLS_VERIFY CONTAINER_HOST',
].flatMap((line) => line.split(' '))

/**
 * What every child gets from our own environment, if set: enough to find programs, files and the network, so that a toolchain works as it
 * does in your shell. No secrets.
 */
const ENVIRONMENT_PASSED_ON: readonly string[] = [
  'PATH HOME USER LOGNAME LANG LC_* TERM TMPDIR SHELL TZ',
  'HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY http_proxy https_proxy all_proxy no_proxy',
  'SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS REQUESTS_CA_BUNDLE CURL_CA_BUNDLE GIT_SSL_CAINFO NIX_SSL_CERT_FILE',
  ...TOOLCHAIN_VARIABLES,
].flatMap((line) => line.split(' '))

/** `MISE_GITHUB_TOKEN` is among `MISE_*`, and a secret: it is passed on only if it is named itself. */
const SECRET = /TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL|AUTH|(?:^|_)KEY(?:_|$)/

/**
 * A child's environment: our variables that are in `ENVIRONMENT_PASSED_ON` or `names` (`AWS_*` means all that begin with it), then
 * `variables`, which win. Leaves out variables whose name no shell can hold, because the gate couldn't pass them on.
 */
export function childEnvironment(names: readonly string[], variables: Readonly<Record<string, string>>): Record<string, string> {
  const env: Record<string, string> = {}
  for (const [name, value] of Object.entries(process.env)) {
    const isGiven = names.some((each) => matches(name, each))
    const isUsual = ENVIRONMENT_PASSED_ON.some((each) => matches(name, each)) && !SECRET.test(name)
    if (value !== undefined && isVariableName(name) && (isGiven || isUsual)) env[name] = value
  }
  return { ...env, ...variables }
}

/** Whether a shell can hold a variable of this name. */
export function isVariableName(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name)
}

function matches(name: string, wanted: string): boolean {
  return wanted.endsWith('*') ? name.startsWith(wanted.slice(0, -1)) : name === wanted
}
